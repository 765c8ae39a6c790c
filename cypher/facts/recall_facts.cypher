// Facts by their numbers that a user's memory believes, or believed by a moment, each with the latest turn or event it
// rested on and the ids of facts that contradict it now, as long as nobody has decided; and the group's embedding model.
// params: vector_ids, group_id, user_id, confidence (to be over), as_of, known_at (recall/scope.cypher)
RETURN COLLECT {
  UNWIND $vector_ids AS vector_id
  MATCH (f:Fact {vector_id: vector_id})
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.confidence > $confidence AND
  // <include recall/scope believed>
  // <fact>
  RETURN f {.vector_id, .fact_id, .subject, .relation, .object, .text, .confidence, .status, by_hand: f.evidence_count = 0,
    last_updated: CASE WHEN $as_of IS NULL AND $known_at IS NULL THEN f.last_updated ELSE coalesce(head(COLLECT {
      MATCH (f)-[d:DERIVED_FROM]->(e)
      WHERE ($as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of) AND ($known_at IS NULL OR e.created_at <= $known_at)
      RETURN d.at ORDER BY d.at DESC LIMIT 1 }), f.last_updated) END,
    opposed: CASE WHEN f.flagged AND $as_of IS NULL AND $known_at IS NULL THEN COLLECT {
      MATCH (f)-[c:CONTRADICTS]-(o:Fact) WHERE c.resolution = 'open' AND o.status = 'active' RETURN o.fact_id ORDER BY o.fact_id
    } ELSE [] END,
    turn: head(COLLECT {
      MATCH (f)-[d:DERIVED_FROM]->(e:Episode)
      WHERE ($as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of) AND ($known_at IS NULL OR e.created_at <= $known_at)
      RETURN e {stated_at: d.at, .vector_id, .episode_id, .session_id, .turn, .turn_id, .actor, .valid_at}
      ORDER BY d.at DESC, e.vector_id DESC LIMIT 1 }),
    event: head(COLLECT {
      MATCH (f)-[d:DERIVED_FROM]->(e:Event)
      WHERE ($as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of) AND ($known_at IS NULL OR e.created_at <= $known_at)
      RETURN e {shown_at: d.at, .node_id, .video_id, .time_start, .time_end} ORDER BY d.at DESC, e.node_id DESC LIMIT 1 })
  }
  // </fact>
} AS facts,
COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded
