// Of each single-valued relation, keep the fact that was stated last, and archive the others with what replaced them. Of
// facts stated at the same moment, the one of the later turn is kept. A fact that was said in passing replaces only facts
// that were, too; otherwise it waits as a candidate. Facts that stand beside the main one are left alone.
// A fact that a person pinned is kept, whatever was stated since.
// What told more of an archived value is over with it, as an address is after a move, unless the same turn states both.
// params: group_id, user_id, slots [{subject, relation, detail}], now
// detail: the relation that tells more of the value (relations.yaml), or none.
// A fact dated more than a day ahead of now got its date from a wrong clock, and counts as the first said.
UNWIND $slots AS slot
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = slot.subject AND f.relation = slot.relation
  AND f.status IN ['active', 'candidate'] AND coalesce(f.strength, 'plain') <> 'beside'
WITH slot, f, head(COLLECT {
  MATCH (f)-[:DERIVED_FROM]->(e:Episode) RETURN e.vector_id ORDER BY e.clock DESC, e.vector_id DESC LIMIT 1
}) AS turn
WITH slot, f, CASE WHEN f.said > $now.epochSeconds + 86400 THEN 0.0 ELSE f.said END AS said, turn
WITH slot, f, said ORDER BY coalesce(f.pinned, false) DESC, coalesce(f.strength, 'plain') = 'plain' DESC, said DESC,
                            coalesce(turn, -1) DESC, f.updated DESC, f.fact_id
WITH slot, collect(f) AS facts
WITH slot, facts[0] AS stands, [f IN facts[1..] WHERE NOT coalesce(f.pinned, false)] AS others
UNWIND others AS old
WITH slot, stands, old, old.status = 'active' AS was_believed, CASE WHEN stands.said >= old.said THEN stands.last_updated ELSE old.last_updated END AS at,
     stands.said < old.said AND NOT coalesce(stands.pinned, false) AS waits
SET old.status = CASE WHEN waits THEN 'candidate' ELSE 'archived' END, old.archived_at = CASE WHEN waits THEN null ELSE at END,
    old.replaced_by = CASE WHEN waits THEN null ELSE stands.object END, old.updated = $now
FOREACH (_ IN CASE WHEN waits THEN [] ELSE [1] END |
  MERGE (stands)-[c:CONTRADICTS]->(old)
    ON CREATE SET c.group_id = $group_id, c.at = at, c.resolution = CASE WHEN stands.said >= old.said THEN 'newer' ELSE 'pinned' END,
                  c.created_at = $now)
WITH slot, stands, old, waits, was_believed, replace(replace(stands.object, ',', ''), '-', ' ') AS name,
     replace(replace(old.object, ',', ''), '-', ' ') AS before
CALL (slot, stands, old, waits, was_believed, name, before) {
  WITH * WHERE slot.detail IS NOT NULL AND was_believed AND NOT waits
    AND name <> before AND NOT (name STARTS WITH before + ' ' OR name ENDS WITH ' ' + before OR before STARTS WITH name + ' ' OR before ENDS WITH ' ' + name)
  WITH slot, stands, old, head(COLLECT { MATCH (stands)-[:DERIVED_FROM]->(e:Episode) RETURN e ORDER BY e.clock DESC LIMIT 1 }) AS e
  WHERE e IS NOT NULL
  MATCH (d:Fact)
  WHERE d.group_id = $group_id AND d.user_id = $user_id AND d.subject = slot.subject AND d.relation = slot.detail
    AND d.status IN ['active', 'candidate'] AND NOT coalesce(d.pinned, false) AND d.said < stands.said
    AND NOT EXISTS { (d)-[:DERIVED_FROM]->(:Episode)<-[:DERIVED_FROM]-(stands) }
    // It may tell more of the value that stands, if the other comes from a conversation that was imported later.
    AND (old.said >= stands.valid_at.epochMillis / 1000.0 OR d.said < stands.valid_at.epochMillis / 1000.0)
  SET d.status = 'archived', d.archived_at = e.valid_at, d.updated = $now
  MERGE (d)-[t:TAKEN_BACK_IN]->(e) ON CREATE SET t.group_id = $group_id, t.at = e.valid_at, t.created_at = $now
  RETURN count(*) AS details
}
RETURN count(*) AS replaced
