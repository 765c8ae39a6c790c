// What was planned by a moment, the latest first: plans of a user, or of what people say in videos (user_id ''), each with
// the turn or event it was last stated in.
// params: group_id, user_id, as_of (seconds since 1970; null: now), limit
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.fact_id IS NOT NULL AND f.relation = 'plans'
  AND f.status IN ['active', 'archived'] AND ($as_of IS NULL OR f.valid_at.epochMillis / 1000.0 <= $as_of)
WITH f ORDER BY f.said DESC, f.fact_id LIMIT $limit
WITH collect(f) AS plans
RETURN COLLECT {
  UNWIND plans AS f
  WITH f
  RETURN f {.subject, .object, .text, .confidence, .said, .ends_at, .language,
    dropped: f.status = 'archived' AND ($as_of IS NULL OR f.archived_at.epochMillis / 1000.0 <= $as_of),
    turn: head(COLLECT {
      MATCH (f)-[d:DERIVED_FROM]->(e:Episode)
      WHERE $as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of
      RETURN e.vector_id ORDER BY d.at DESC, e.vector_id DESC LIMIT 1 }),
    event: head(COLLECT {
      MATCH (f)-[d:DERIVED_FROM]->(e:Event)
      WHERE $as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of
      RETURN e.node_id ORDER BY d.at DESC, e.node_id DESC LIMIT 1 })
  }
} AS plans
