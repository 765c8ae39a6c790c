// Objects that passed from one person to another: handed over, or put down by one and taken by the next.
// params: group_id
// A hand-over is an action that begins and ends with the object held. The receiver is the other person in the event,
// or, with several of them, the next person who handles the object.
WITH 'demo' AS group_id
MATCH (o:Object)
WHERE o.group_id = group_id AND o.name IS NOT NULL
MATCH (e:Event)-[u:USES]->(o)
WHERE u.verb IS NOT NULL AND u.state_kind = 'place' AND u.actor <> ''
WITH o, e, u, COLLECT {
       MATCH (e)-[r:INVOLVES]->(p:Person)
       WHERE u.from_state = 'held' AND u.to_state = 'held' AND r.role <> 'mentioned' AND p.person_id <> u.actor
       RETURN DISTINCT p.person_id
     } AS receivers
ORDER BY u.key, u.position, u.seq
WITH o, u.key AS timeline,
     collect({actor: u.actor, verb: u.verb, state: u.to_state, event: e,
              holder: CASE size(receivers) WHEN 1 THEN receivers[0] ELSE u.actor END}) AS handled
UNWIND range(0, size(handled) - 1) AS i
WITH o, handled[i] AS before, handled[i + 1] AS after
UNWIND [
  {from: before.actor, gave: before.verb, to: before.holder, event: before.event},
  {from: before.holder, gave: before.verb, to: after.actor, took: after.verb, event: after.event,
   put_down: before.state = 'placed'}
] AS over
WITH o, over WHERE over.from <> over.to
RETURN o.name AS object, over.from AS from, over.gave AS gave, over.to AS to, over.took AS took,
       coalesce(over.put_down, false) AS put_down_between, over.event.video_id AS video_id,
       over.event.time_start AS time_start, over.event.at AS at, over.event.node_id AS node_id
ORDER BY at, video_id, time_start, object
