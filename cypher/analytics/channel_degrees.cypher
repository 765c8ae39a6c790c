// How densely each channel links the events: edges, events with an edge, mean and largest degree.
// params: group_id
WITH 'demo' AS group_id
MATCH (e:Event)
WHERE e.group_id = group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
MATCH (e)-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-(:Event)
WITH type(r) AS channel, e, count(r) AS degree
RETURN channel, sum(degree) / 2 AS edges, count(e) AS events,
       round(avg(degree), 2) AS mean_degree, max(degree) AS largest
ORDER BY edges DESC
