// A stretch of a video: its events in order, with the people and objects in them
// params: group_id, video_id, from_second, until_second
WITH 'demo' AS group_id, 'kitchen_evening' AS video_id, 220 AS from_second, 330 AS until_second
MATCH (e:Event)
WHERE e.group_id = group_id AND e.video_id = video_id AND e.position IS NOT NULL
  AND e.time_end > from_second AND e.time_start < until_second
OPTIONAL MATCH with_whom = (e)-[i:INVOLVES]->(:Person) WHERE i.role <> 'mentioned'
OPTIONAL MATCH with_what = (e)-[u:USES]->(:Object) WHERE u.verb IS NOT NULL
RETURN e, with_whom, with_what
