// Lock out other writers until the transaction ends; returns the video's last node_id, and of one of its clips the content
// hash if that is committed, and whether damage has taken something from it.
// params: group_id, video_id, clip_id
// Planning takes seconds and its result does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_for = $video_id  // a property that is never read: an expression would be evaluated before the lock is held
WITH ids
OPTIONAL MATCH (v:Video {group_id: $group_id, video_id: $video_id})
OPTIONAL MATCH (c:Clip {group_id: $group_id, video_id: $video_id, clip_id: $clip_id, status: 'committed'})
RETURN v.last_node_id AS last_node_id, c.content_sha256 AS content_sha256, c IS NOT NULL AND (
  // <include ingest/committed_clips damaged>
) AS damaged
