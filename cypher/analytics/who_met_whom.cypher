// People who took part in the same events: how often, first and last time. Being mentioned does not count.
// params: group_id
WITH 'demo' AS group_id
MATCH (a:Person)
WHERE a.group_id = group_id AND a.person_id IS NOT NULL
MATCH (a)<-[x:INVOLVES]-(e:Event)-[y:INVOLVES]->(b:Person)
WHERE x.role <> 'mentioned' AND y.role <> 'mentioned'
  AND (a.person_id < b.person_id OR (a.person_id = b.person_id AND a.scope < b.scope))
WITH DISTINCT a, b, e ORDER BY e.at, e.video_id, e.position
WITH a, b, collect(e) AS met
RETURN a.person_id AS person, b.person_id AS met_person, size(met) AS times,
       head(met).video_id AS first_video, head(met).time_start AS first_time,
       last(met).video_id AS last_video, last(met).time_start AS last_time
ORDER BY times DESC, person, met_person
