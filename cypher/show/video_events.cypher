// A page of the events of a video in order, at most `limit`; only those that overlap since..until (seconds), where these are not null.
// params: group_id, video_id, start, limit, since, until, seconds, clock, known_at (recall/scope.cypher)
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id = $video_id AND e.position IS NOT NULL
  AND ($since IS NULL OR e.time_end >= $since) AND ($until IS NULL OR e.time_start <= $until) AND
  // <include recall/scope then>
WITH e ORDER BY e.group_id, e.video_id, e.position SKIP $start LIMIT $limit
RETURN e.node_id AS node_id, e.at AS at, e.time_start AS time_start, e.time_end AS time_end, e.summary_text AS summary_text,
       e.dialogue_snippets AS dialogue_snippets
ORDER BY e.group_id, e.video_id, e.position
