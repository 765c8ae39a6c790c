// Scenes that match a Lucene query, with their scores, among those that were over by the scope's as_of.
// params: index, query, limit, group_id, video_ids, seconds, clock (store/read/event_reader.py)
// The query requires the group and the videos. The events of a scene are filtered when they are read themselves.
CALL db.index.fulltext.queryNodes($index, $query, {limit: $limit}) YIELD node AS s, score
WHERE score > 0 AND s.group_id = $group_id AND (size($video_ids) = 0 OR s.video_id IN $video_ids)
  AND s.t_end <= $seconds.as_of
  AND ($clock IS NULL OR s.at IS NOT NULL AND s.at.epochMillis / 1000.0 + s.t_end - s.t_start <= $clock.as_of)
RETURN collect([s.video_id, s.level, s.t_start, s.t_end, score]) AS found
