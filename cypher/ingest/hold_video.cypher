// Take the writers' turn until the transaction ends, and tell which event of a video was written last, and what a clip of
// it is, if that is committed.
// params: group_id, video_id, clip_id
// Planned once: its plan is the same on an empty graph as on a large one (a test compares them), and a plan takes seconds.
CYPHER replan=skip
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_for = $video_id  // nothing that is read: it would be read before the turn is taken, and written after
WITH ids
OPTIONAL MATCH (v:Video {group_id: $group_id, video_id: $video_id})
OPTIONAL MATCH (c:Clip {group_id: $group_id, video_id: $video_id, clip_id: $clip_id, status: 'committed'})
RETURN v.last_node_id AS last_node_id, c.content_sha256 AS content_sha256
