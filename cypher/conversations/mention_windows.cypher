// Episodes of a user, each with the turns just before it, oldest first, and the mentions of each.
// params: group_id, user_id, episode_ids, turns (how many in all, at most 16)
UNWIND range(0, size($episode_ids) - 1) AS place
MATCH (:Episode {group_id: $group_id, user_id: $user_id, episode_id: $episode_ids[place]})<-[:NEXT*0..15]-(e)
WHERE e.group_id = $group_id AND e.user_id = $user_id
WITH place, e ORDER BY place, e.turn DESC
WITH place, collect(e)[..$turns] AS window
RETURN place, [e IN reverse(window) | e{.*, mentions: COLLECT {
  MATCH (m)-[:MENTIONED_IN]->(e) WITH m ORDER BY m.id RETURN m{.*}
}}] AS episodes
ORDER BY place
