:params {group_id: 'demo'}
// Objects that went from one person to another, handed over or put down in between: who had it, who next, and when.
// params: group_id
MATCH (o:Object)
WHERE o.group_id = $group_id AND o.name IS NOT NULL
MATCH (e:Event)-[u:USES]->(o)
WHERE u.verb IS NOT NULL AND u.state_kind = 'place' AND coalesce(u.actor, '') <> ''
WITH o, u.key AS timeline, e, u ORDER BY timeline, u.position, u.seq
WITH o, timeline, collect({actor: u.actor, verb: u.verb, state: u.to_state, event: e}) AS handled
UNWIND range(0, size(handled) - 2) AS i
WITH o, handled[i] AS before, handled[i + 1] AS after
WHERE before.actor <> after.actor
RETURN o.name AS object, before.actor AS from, before.verb AS gave, after.actor AS to, after.verb AS took,
       before.state = 'placed' AS put_down_between,
       after.event.video_id AS video_id, after.event.time_start AS time_start, after.event.node_id AS node_id
ORDER BY video_id, time_start
