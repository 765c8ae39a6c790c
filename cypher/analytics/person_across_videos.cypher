// Where a person turns up: per video the events by role, and when first and last.
// params: group_id, person (id: names in lower case, joined by _)
WITH 'demo' AS group_id, 'anna' AS person
MATCH (p:Person)
WHERE p.group_id = group_id AND p.person_id = person
MATCH (e:Event)-[r:INVOLVES]->(p)
RETURN e.video_id AS video_id, p.scope AS scope, count(DISTINCT e) AS events,
       count(CASE r.role WHEN 'actor' THEN 1 END) AS acts, count(CASE r.role WHEN 'speaker' THEN 1 END) AS speaks,
       count(CASE r.role WHEN 'mentioned' THEN 1 END) AS mentioned,
       min(e.time_start) AS first_time, max(e.time_end) AS last_time, min(e.at) AS first_at, max(e.at) AS last_at
ORDER BY first_at, video_id
