:params {group_id: 'demo', object: 'lamp'}
// How long an object was in each state, per kind of state: from the event that left it so to the next that changed it.
// The last state of a video lasts until the end of what was seen of it. Seconds.
// params: group_id, object (its identity: lower case, singular)
MATCH (o:Object)
WHERE o.group_id = $group_id AND o.name = $object
MATCH (e:Event)-[u:USES]->(o)
WHERE u.to_state IS NOT NULL
MATCH (e)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video)
WITH o, u, e, v ORDER BY u.key, u.position, u.seq
WITH o, u.key AS timeline, u.state_kind AS kind,
     collect({state: u.to_state, since: u.at, until: e.clock_start - e.time_start +
              reduce(end = 0.0, t IN COLLECT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) RETURN c.t_end } |
                     CASE WHEN t > end THEN t ELSE end END)}) AS changes
UNWIND range(0, size(changes) - 1) AS i
WITH o, kind, changes[i].state AS state,
     CASE WHEN i + 1 < size(changes) THEN changes[i + 1].since ELSE changes[i].until END - changes[i].since AS seconds
RETURN o.place AS place, kind, state, count(*) AS times, round(sum(seconds), 1) AS seconds, round(max(seconds), 1) AS longest
ORDER BY place, kind, seconds DESC
