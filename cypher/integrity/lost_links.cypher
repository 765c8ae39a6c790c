// Events that have fewer INVOLVES and USES edges than they were written with: edges, persons or objects were deleted.
// params: group_id
CALL () {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
  RETURN e
  UNION ALL
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
  RETURN e
}
WITH e, COUNT { (e)-[:INVOLVES|USES]->() } AS links
WHERE e.links > links
RETURN e.node_id AS node_id, links ORDER BY node_id
