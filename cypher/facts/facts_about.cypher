// A user's believed facts of some subjects and relations, or of some objects and relations (held); then the candidates,
// each with the latest turn or event it rests on. Main facts come before those that stand beside them, then the more
// certain ones first, and the later ones of equal certainty: weight, lowered in proportion if the confidence is below that
// of a new fact. Facts that have ended are left out.
// With as_of, facts that were replaced, or taken back after it, are returned too, each dated by its last turn or event until
// then, and the later ones come first.
// params: group_id, user_id, subjects, relations, objects, held, new, confidence (to be over), limit, as_of, known_at
// as_of: seconds since 1970; null: now. known_at: null.
// new: the confidence of a new fact
CALL () {
  UNWIND $subjects AS subject
  UNWIND $relations AS relation
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = subject AND f.relation = relation
  RETURN f
  UNION
  UNWIND CASE WHEN size($objects) = 0 OR size($held) = 0 THEN [] ELSE ['active', 'candidate', 'archived'] END AS status
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status = status AND f.said IS NOT NULL
    AND f.object IN $objects AND f.relation IN $held
  RETURN f
}
WITH f
WHERE f.confidence > $confidence AND f.said IS NOT NULL
  AND (f.status IN ['active', 'candidate'] OR $as_of IS NOT NULL AND f.status = 'archived'
       AND (NOT EXISTS { (f)-[:TAKEN_BACK_IN]->() } OR f.archived_at.epochMillis / 1000.0 > $as_of))
  AND (f.ends_at IS NULL OR f.ends_at.epochMillis / 1000.0 > coalesce($as_of, datetime().epochMillis / 1000.0))
WITH f, CASE WHEN $as_of IS NULL THEN f.said
        ELSE head(COLLECT {
          MATCH (f)-[d:DERIVED_FROM]->(e)
          WITH coalesce(e.clock, d.at.epochMillis / 1000.0) AS clock WHERE clock <= $as_of
          RETURN clock ORDER BY clock DESC LIMIT 1
        }) END AS said
WHERE said IS NOT NULL
WITH f ORDER BY f.status = 'candidate', coalesce(f.strength, 'plain') = 'beside',
  CASE WHEN $as_of IS NULL THEN f.weight * CASE WHEN f.confidence < $new THEN f.confidence / $new ELSE 1.0 END END DESC, said DESC, f.fact_id LIMIT $limit
WITH collect(f) AS latest
RETURN COLLECT {
  UNWIND latest AS f
  WITH f
  // <include facts/recall_facts fact>
} AS facts
