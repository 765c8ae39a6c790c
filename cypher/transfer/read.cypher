// Everything that a group, or one user of it, holds: a row for each node with the relationships that leave it.
// params: group_id, footage, from_user, to_user, model
// footage: also the videos and what they show. from_user, to_user: the users, by a range of their names.
// model: whose vectors are read too; null: none.
// Nodes come before those that need them. Events and turns come in the order in which they were written, by an index.
CALL () {
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Video) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL
  RETURN 'Video' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Clip) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL AND n.clip_id IS NOT NULL
  RETURN 'Clip' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Scene) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL AND n.level IS NOT NULL AND n.t_start IS NOT NULL
  RETURN 'Scene' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Person) WHERE n.group_id = $group_id AND n.scope IS NOT NULL AND n.person_id IS NOT NULL
  RETURN 'Person' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Object) WHERE n.group_id = $group_id AND n.place IS NOT NULL AND n.name IS NOT NULL
  RETURN 'Object' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:SupersededEvent) USING INDEX n:SupersededEvent(node_id)
  WHERE n.node_id >= 0 AND n.group_id = $group_id
  RETURN 'SupersededEvent' AS kind, n, toString(n.node_id) AS owner ORDER BY n.node_id
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Event) USING INDEX n:Event(node_id)
  WHERE n.node_id >= 0 AND n.group_id = $group_id
  RETURN 'Event' AS kind, n, toString(n.node_id) AS owner ORDER BY n.node_id
  UNION ALL
  MATCH (n:Session)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.session_id IS NOT NULL
  RETURN 'Session' AS kind, n, null AS owner
  UNION ALL
  MATCH (n:Speaker)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.person_id IS NOT NULL
  RETURN 'Speaker' AS kind, n, null AS owner
  UNION ALL
  MATCH (n:Episode) USING INDEX n:Episode(group_id, user_id, vector_id)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.vector_id IS NOT NULL
  RETURN 'Episode' AS kind, n, toString(n.vector_id) AS owner ORDER BY n.group_id, n.user_id, n.vector_id
  UNION ALL
  MATCH (n:Mention) USING INDEX n:Mention(group_id, user_id, id)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.id IS NOT NULL
  RETURN 'Mention' AS kind, n, null AS owner
  UNION ALL
  MATCH (n:Fact) USING INDEX n:Fact(group_id, user_id, fact_id)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.fact_id IS NOT NULL
  RETURN 'Fact' AS kind, n, toString(n.vector_id) AS owner
  UNION ALL
  MATCH (n:ForgottenFact)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.fact_id IS NOT NULL
  RETURN 'ForgottenFact' AS kind, n, null AS owner
  UNION ALL
  MATCH (n:FactUpkeep)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user
  RETURN 'FactUpkeep' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:ForgottenFootage) WHERE n.group_id = $group_id AND n.film IS NOT NULL AND n.clip IS NOT NULL
  RETURN 'ForgottenFootage' AS kind, n, null AS owner
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:ForgottenTurns) WHERE n.group_id = $group_id AND n.key IS NOT NULL
  RETURN 'ForgottenTurns' AS kind, n, null AS owner
}
RETURN kind, labels(n) AS labels, properties(n) AS properties,
  COLLECT {
    MATCH (n)-[r]->(m)
    WHERE m.group_id = $group_id
    RETURN {type: type(r), properties: properties(r), labels: labels(m), target: m {
      .video_id, .clip_id, .position, .level, .t_start, .scope, .person_id, .place, .name, .user_id, .session_id, .episode_id, .id, .fact_id}}
  } AS links,
  // Of an upkeep, how far it has read: the last turn, the last event.
  COLLECT {
    WITH n WHERE n:FactUpkeep
    MATCH (e:Episode)
    WHERE e.group_id = $group_id AND e.user_id = n.user_id AND e.vector_id <= n.read_to
    RETURN e.episode_id ORDER BY e.group_id DESC, e.user_id DESC, e.vector_id DESC LIMIT 1
  } AS read_to,
  COLLECT {
    WITH n WHERE n:FactUpkeep
    MATCH (e:Event) USING INDEX e:Event(node_id)
    WHERE e.node_id <= n.seen_to AND e.group_id = $group_id
    RETURN {video_id: e.video_id, position: e.position} ORDER BY e.node_id DESC LIMIT 1
  } AS seen_to,
  head(COLLECT {
    MATCH (m:Embedding {
      kind: CASE kind WHEN 'Fact' THEN 'fact' WHEN 'Episode' THEN 'episode' ELSE 'event' END, owner: owner, model: $model})
    WHERE m.group_id = $group_id AND size(m.data) = 4 * m.dim
    RETURN m.data
  }) AS vector
