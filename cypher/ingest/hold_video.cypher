// Take the writers' turn until the transaction ends, and tell which event of a video was written last.
// params: group_id, video_id, now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
OPTIONAL MATCH (v:Video {group_id: $group_id, video_id: $video_id})
RETURN v.last_node_id AS last_node_id
