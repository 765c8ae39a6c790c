// Videos whose events are not one TEMPORAL chain. In a chain, one event is followed by none and every other by exactly one.
// params: group_id
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
WITH e.video_id AS video_id, COUNT { (e)-[:TEMPORAL]->(:Event) } AS later, COUNT { (e)<-[:TEMPORAL]-(:Event) } AS earlier
WITH video_id, count(CASE later WHEN 0 THEN 1 END) AS last, count(CASE earlier WHEN 0 THEN 1 END) AS first,
     count(CASE WHEN later > 1 OR earlier > 1 THEN 1 END) AS forks
WHERE last <> 1 OR first <> 1 OR forks > 0
RETURN video_id, last + first - 2 + forks AS wrong ORDER BY video_id
