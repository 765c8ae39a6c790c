// The 20 busiest stretches of each video: events, people and objects per time window.
// params: group_id, window (seconds)
WITH 'demo' AS group_id, 60 AS window
MATCH (e:Event)
WHERE e.group_id = group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
WITH window, e.video_id AS video_id, floor(e.time_start / window) * window AS time_start, e
OPTIONAL MATCH (e)-[:INVOLVES|USES]->(n)
RETURN video_id, time_start, time_start + window AS time_end, count(DISTINCT e) AS events,
       count(DISTINCT CASE WHEN n:Person THEN n END) AS persons,
       count(DISTINCT CASE WHEN n:Object THEN n END) AS objects
ORDER BY events DESC, video_id, time_start
LIMIT 20
