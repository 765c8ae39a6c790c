// One hop: every edge of these channels that touches one of the events, in either direction.
// params: node_ids, channels, group_id, video_ids (empty: all)
UNWIND $node_ids AS node_id
MATCH (e:Event {node_id: node_id})-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-(other:Event)
WHERE type(r) IN $channels AND e.group_id = $group_id AND other.group_id = $group_id
  AND (size($video_ids) = 0 OR other.video_id IN $video_ids)
RETURN DISTINCT startNode(r).node_id AS src, endNode(r).node_id AS dst, type(r) AS channel, properties(r) AS payload
ORDER BY src, dst, channel
