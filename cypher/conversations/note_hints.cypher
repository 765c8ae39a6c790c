// Note with turns which facts and quoted turns were hints for them, so that a session that is opened again has them back.
// Safe to run twice.
// params: group_id, user_id, rows [{episode_id, hinted}]
// hinted: fact_ids, and episode_ids of quoted turns, best first. Returns the turns that are there.
UNWIND $rows AS row
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.episode_id})
SET e.hinted = row.hinted
RETURN e.episode_id AS episode_id
