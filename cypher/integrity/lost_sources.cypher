// Turns that have lost the edge to their speaker, and mentions the one to their turn. Both are named in their properties.
// params: group_id
CALL () {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.session_id IS NOT NULL AND e.turn IS NOT NULL
    AND NOT EXISTS { (e)-[:SAID_BY]->() }
  RETURN 'speaker of turn' AS kind, toString(e.vector_id) AS owner, e.user_id AS user_id, e.episode_id AS episode_id
  UNION ALL
  MATCH (m:Mention)
  WHERE m.group_id = $group_id AND m.user_id IS NOT NULL AND m.session_id IS NOT NULL AND m.turn IS NOT NULL
    AND NOT EXISTS { (m)-[:MENTIONED_IN]->() }
  // Mentions of a turn that was deleted are lost with it.
  MATCH (e:Episode {group_id: $group_id, user_id: m.user_id, episode_id: m.episode_id})
  RETURN 'turn of mention' AS kind, m.id AS owner, m.user_id AS user_id, m.episode_id AS episode_id
}
RETURN kind, owner, user_id, episode_id ORDER BY kind, owner
