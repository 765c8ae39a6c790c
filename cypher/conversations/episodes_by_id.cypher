// Episodes of a user by id; unknown ids are left out.
// params: group_id, user_id, episode_ids
UNWIND $episode_ids AS episode_id
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
RETURN e{.*} AS episode
