// Session, content hash, turn and intake_id of episodes by id; unknown ids are left out.
// params: group_id, user_id, episode_ids
UNWIND $episode_ids AS episode_id
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
RETURN collect([e.episode_id, e.session_id, e.content_sha256, e.turn, e.intake_id]) AS episodes
