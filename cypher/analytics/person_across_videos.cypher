// The videos in which a person appears: events by role, first and last time. A merged person stands for its target.
// params: group_id, person (id: names in lower case, joined by _)
WITH 'demo' AS group_id, 'anna' AS person
MATCH (named:Person)
WHERE named.group_id = group_id AND named.person_id = person AND named.split IS NULL
MATCH (named)-[:MERGED_INTO*0..]->(p:Person) WHERE NOT EXISTS { (p)-[:MERGED_INTO]->(:Person) }
MATCH (e:Event)-[part:INVOLVES]->(p)
WITH DISTINCT e, p, part.role AS role
RETURN e.video_id AS video_id, p.scope AS scope, count(DISTINCT e) AS events,
       count(CASE role WHEN 'actor' THEN 1 END) AS acts, count(CASE role WHEN 'speaker' THEN 1 END) AS speaks,
       count(CASE role WHEN 'mentioned' THEN 1 END) AS mentioned,
       min(e.time_start) AS first_time, max(e.time_end) AS last_time, min(e.at) AS first_at, max(e.at) AS last_at
ORDER BY first_at, video_id
