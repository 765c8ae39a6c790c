// The scenes of a video's level that overlap a span of seconds, in order; only those that were over by a moment.
// params: group_id, video_id, level, since, until, seconds, clock (recall/scope.cypher)
MATCH (s:Scene)
WHERE s.group_id = $group_id AND s.video_id = $video_id AND s.level = $level AND s.t_start <= $until AND s.t_end >= $since
  AND s.t_end <= $seconds
  AND ($clock IS NULL OR s.at IS NOT NULL AND s.at.epochMillis / 1000.0 + s.t_end - s.t_start <= $clock)
RETURN s.t_start AS t_start, s.t_end AS t_end, s.summary_text AS summary_text, coalesce(s.told_by, '') AS told_by,
       s.topics AS topics, s.persons AS persons
ORDER BY s.t_start
