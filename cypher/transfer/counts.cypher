// How many nodes a group, or one user of it, has of each kind.
// params: group_id, footage, from_user, to_user
// As transfer/read.
CALL () {
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Video) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL
  RETURN 'Video' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Clip) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL AND n.clip_id IS NOT NULL
  RETURN 'Clip' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Scene) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL AND n.level IS NOT NULL AND n.t_start IS NOT NULL
  RETURN 'Scene' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Person) WHERE n.group_id = $group_id AND n.scope IS NOT NULL AND n.person_id IS NOT NULL
  RETURN 'Person' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Object) WHERE n.group_id = $group_id AND n.place IS NOT NULL AND n.name IS NOT NULL
  RETURN 'Object' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:SupersededEvent) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL AND n.position IS NOT NULL
  RETURN 'SupersededEvent' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:Event) WHERE n.group_id = $group_id AND n.video_id IS NOT NULL AND n.position IS NOT NULL
  RETURN 'Event' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:Session)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.session_id IS NOT NULL
  RETURN 'Session' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:Speaker)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.person_id IS NOT NULL
  RETURN 'Speaker' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:Episode)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.vector_id IS NOT NULL
  RETURN 'Episode' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:Mention)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.id IS NOT NULL
  RETURN 'Mention' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:Fact)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.fact_id IS NOT NULL
  RETURN 'Fact' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:ForgottenFact)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user AND n.fact_id IS NOT NULL
  RETURN 'ForgottenFact' AS kind, count(*) AS nodes
  UNION ALL
  MATCH (n:FactUpkeep)
  WHERE n.group_id = $group_id AND n.user_id >= $from_user AND n.user_id <= $to_user
  RETURN 'FactUpkeep' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:ForgottenFootage) WHERE n.group_id = $group_id AND n.film IS NOT NULL AND n.clip IS NOT NULL
  RETURN 'ForgottenFootage' AS kind, count(*) AS nodes
  UNION ALL
  WITH $footage AS wanted WHERE wanted
  MATCH (n:ForgottenTurns) WHERE n.group_id = $group_id AND n.key IS NOT NULL
  RETURN 'ForgottenTurns' AS kind, count(*) AS nodes
}
RETURN kind, nodes
