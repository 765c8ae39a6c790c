// Scenes of a level with more than one event that no model was asked about yet, in order.
// params: group_id, level, limit
MATCH (s:Scene)
WHERE s.group_id = $group_id AND s.video_id IS NOT NULL AND s.level = $level AND s.t_start IS NOT NULL
  AND s.events > 1 AND s.asked IS NULL
RETURN s.video_id AS video_id, s.level AS level, s.t_start AS t_start, s.text AS text
ORDER BY s.video_id, s.t_start LIMIT $limit
