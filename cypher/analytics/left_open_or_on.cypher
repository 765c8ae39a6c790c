:params {group_id: 'demo'}
// Objects whose last known state is open, on or unlocked: since when, and who left them so.
// params: group_id
MATCH (o:Object)
WHERE o.group_id = $group_id AND o.name IS NOT NULL
MATCH (e:Event)-[u:USES]->(o)
WHERE u.state_kind IN ['open', 'power', 'lock'] AND u.to_state IS NOT NULL
WITH o, u.key AS timeline, u.state_kind AS kind, e, u ORDER BY timeline, u.position, u.seq
WITH o, timeline, kind, last(collect({state: u.to_state, actor: u.actor, event: e})) AS latest
WHERE latest.state IN ['open', 'on', 'unlocked']
RETURN o.name AS object, o.place AS place, latest.state AS state, latest.actor AS actor,
       latest.event.video_id AS video_id, latest.event.time_start AS since, latest.event.at AS at,
       latest.event.node_id AS node_id
ORDER BY video_id, since
