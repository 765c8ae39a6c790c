// Those of some turns that are in the graph.
// params: group_id, turns [{user_id, episode_id}]
UNWIND $turns AS row
MATCH (e:Episode {group_id: $group_id, user_id: row.user_id, episode_id: row.episode_id})
RETURN e.user_id AS user_id, e.episode_id AS episode_id
