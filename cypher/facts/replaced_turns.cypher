// Pairs of turns (old, new), where `new` replaced or took back what `old` states. At least one of each pair is a given turn.
// What was said after as_of is left out.
// params: vector_ids, group_id, user_id, as_of (seconds since 1970)
// whole: everything that the older turn states was replaced.
CALL () {
  UNWIND $vector_ids AS vector_id
  MATCH (e:Episode {vector_id: vector_id})
  WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.clock <= $as_of
  MATCH (e)<-[:DERIVED_FROM]-(f:Fact)
  WHERE EXISTS { (f)-[:CONTRADICTS]-(:Fact) }
  // All that was said of the same subject and relation, the latest first. The latest holds.
  CALL (f) {
    MATCH (v:Fact)
    WHERE v.group_id = $group_id AND v.user_id = $user_id AND v.subject = f.subject AND v.relation = f.relation
      AND v.status IN ['active', 'archived'] AND EXISTS { (v)-[:CONTRADICTS]-(:Fact) }
    MATCH (v)-[:DERIVED_FROM]->(t:Episode)
    WHERE t.clock <= $as_of
    WITH v, t ORDER BY t.clock DESC, t.vector_id DESC
    RETURN collect({fact: v, turn: t}) AS said
  }
  WITH e, f, said, said[0].fact AS holds, said[0].turn AS latest
  WITH e, f, said, holds, latest, head([each IN said WHERE each.fact <> holds | each.turn]) AS before
  // Either the given turn is outdated, or it states what holds; then `before` is the turn that it replaced.
  WITH said, holds, CASE WHEN f <> holds THEN e ELSE before END AS old, CASE WHEN f <> holds THEN latest ELSE e END AS new
  WHERE old IS NOT NULL AND new.clock >= old.clock AND old <> new
  WITH old, new, last([each IN said WHERE each.fact = holds AND each.turn.clock >= old.clock | each.turn]) AS first
  RETURN old, new, first.valid_at AS since
UNION
  UNWIND $vector_ids AS vector_id
  MATCH (old:Episode {vector_id: vector_id})
  WHERE old.group_id = $group_id AND old.user_id = $user_id AND old.clock <= $as_of
  MATCH (old)<-[:DERIVED_FROM]-(f:Fact)-[:TAKEN_BACK_IN]->(new:Episode)
  WHERE new.clock >= old.clock AND new.clock <= $as_of AND new <> old AND NOT EXISTS {
    MATCH (f)-[:DERIVED_FROM]->(again:Episode)
    WHERE again.clock > new.clock AND again.clock <= $as_of
  }
  RETURN old, new, new.valid_at AS since
}
WITH old, new, min(since) AS at
RETURN old.vector_id AS old, new.vector_id AS new, at,
       NOT EXISTS {
         MATCH (old)<-[:DERIVED_FROM]-(other:Fact)
         WHERE other.status = 'active'
       } AS whole
