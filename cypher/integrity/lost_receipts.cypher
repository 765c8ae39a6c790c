// Clips whose events are in the graph, but whose receipt is missing or not linked to them.
// params: group_id
CALL () {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND COUNT { (e)-[:IN_CLIP]->() } < size(e.clip_ids)
  RETURN e
  UNION ALL
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    AND COUNT { (e)-[:IN_CLIP]->() } < size(e.clip_ids)
  RETURN e
}
UNWIND e.clip_ids AS clip_id
WITH e, clip_id
WHERE NOT EXISTS { (e)-[:IN_CLIP]->(:Clip {clip_id: clip_id}) }
RETURN DISTINCT e.video_id AS video_id, clip_id ORDER BY video_id, clip_id
