// Note how far the facts of users were read, by the turn and the event that were read last.
// params: group_id, rows [{properties, read_to (episode_id), seen_to {video_id, position}}], now
// The node may be there although the user is new: it outlives what was forgotten, to count that.
UNWIND $rows AS row
MERGE (u:FactUpkeep {group_id: $group_id, user_id: row.properties.user_id})
  ON CREATE SET u += row.properties, u.created_at = $now
WITH u, row
OPTIONAL MATCH (turn:Episode {group_id: $group_id, user_id: u.user_id, episode_id: row.read_to})
OPTIONAL MATCH (event:Event {group_id: $group_id, video_id: row.seen_to.video_id, position: row.seen_to.position})
SET u.read_to = coalesce(turn.vector_id, -1), u.seen_to = coalesce(event.node_id, -1)
