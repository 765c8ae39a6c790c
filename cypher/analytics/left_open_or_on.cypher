// Objects whose last known state is open, on or unlocked: since when, and who last acted on them.
// params: group_id
WITH 'demo' AS group_id
MATCH (o:Object)
WHERE o.group_id = group_id AND o.name IS NOT NULL
MATCH (e:Event)-[u:USES]->(o)
WHERE u.state_kind IN ['open', 'power', 'lock'] AND u.to_state IS NOT NULL
WITH o, u.key AS timeline, u.state_kind AS kind, e, u ORDER BY timeline, u.position, u.seq
WITH o, timeline, kind, collect({state: u.to_state, actor: u.actor, event: e, since: coalesce(u.time, e.time_start)}) AS changes
WITH o, changes, last(changes) AS latest
WHERE latest.state IN ['open', 'on', 'unlocked']
WITH o, latest, changes, last([i IN range(0, size(changes) - 1) WHERE changes[i].state <> latest.state]) AS other
WITH o, latest, changes[coalesce(other, -1) + 1] AS first
RETURN o.name AS object, o.place AS place, latest.state AS state, latest.actor AS actor,
       first.event.video_id AS video_id, first.since AS since,
       first.event.at + duration({milliseconds: toInteger(round(1000 * (first.since - first.event.time_start)))}) AS at, first.event.node_id AS node_id
ORDER BY at, video_id, since, object
