// An episode with the turns just before it, oldest first, and what each mentions.
// params: group_id, user_id, episode_id
MATCH (:Episode {group_id: $group_id, user_id: $user_id, episode_id: $episode_id})<-[:NEXT*0..3]-(e)
WHERE e.group_id = $group_id AND e.user_id = $user_id
OPTIONAL MATCH (m)-[:MENTIONED_IN]->(e)
WITH e, m ORDER BY m.id
RETURN e{.*} AS episode, collect(m{.*}) AS mentions
ORDER BY episode.turn
