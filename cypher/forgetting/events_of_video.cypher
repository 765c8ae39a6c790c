// At most `limit` events of a video, superseded ones included, with or without receipts.
// params: group_id, video_id, limit
CALL () {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id = $video_id AND e.position IS NOT NULL
  RETURN e.node_id AS node_id LIMIT $limit
  UNION ALL
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id = $video_id AND e.position IS NOT NULL
  RETURN e.node_id AS node_id LIMIT $limit
}
RETURN node_id
