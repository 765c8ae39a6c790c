// Set properties of nodes. The clips of an event, a clip itself, and a video with the first clip of its film then count as damaged, so
// that taking them in again brings back what was lost. Open processes notice the change.
// params: group_id, rows [{id (element id), values, is_of_clip}]
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row.id
SET n += row.values
FOREACH (_ IN CASE WHEN row.is_of_clip AND (n:Clip OR n:Video) THEN [1] ELSE [] END | SET n.damaged = true)
WITH n, row
CALL (n, row) {
  WITH n WHERE row.is_of_clip
  MATCH (n)-[:IN_CLIP|OF_VIDEO]-(c:Clip)
  WITH n, c ORDER BY c.t_start, c.clip_id
  WITH n, collect(c) AS clips
  // What was seen in an exploration is no clip of the film, and a clip that failed is taken in again anyway.
  FOREACH (c IN CASE WHEN n:Video THEN [c IN clips WHERE c.status = 'committed' AND NOT c.clip_id STARTS WITH 'explored-'][..1] ELSE clips END | SET c.damaged = true)
}
WITH DISTINCT 1 AS _
MATCH (g:Group {group_id: $group_id})
SET g.rewritten = CASE WHEN g.rewritten IS :: INTEGER NOT NULL THEN g.rewritten ELSE 0 END + 1
