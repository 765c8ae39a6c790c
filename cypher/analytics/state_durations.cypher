// How long an object was in each state, in seconds: from the event that set it to the next that changed it.
// params: group_id, object (its key: lower case, singular)
// States of different kinds (open, place ...) are independent. The last one lasts until the end of the video's last clip.
WITH 'demo' AS group_id, 'lamp' AS object
MATCH (o:Object)
WHERE o.group_id = group_id AND o.name = object
MATCH (e:Event)-[u:USES]->(o)
WHERE u.to_state IS NOT NULL
WITH o, u, e ORDER BY u.key, u.position, u.seq
WITH o, u.key AS timeline, u.state_kind AS kind, collect({state: u.to_state, since: u.at + coalesce(u.time - e.time_start, 0.0)}) AS seen,
     last(collect(e)) AS latest
MATCH (latest)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(:Video)<-[:OF_VIDEO]-(c:Clip)
WHERE c.status = 'committed'
WITH o, timeline, kind, seen, latest.clock_start - latest.time_start AS second_0, max(c.t_end) AS until
WITH o, kind, second_0 + until AS until,
     [i IN range(0, size(seen) - 1) WHERE i = 0 OR seen[i].state <> seen[i - 1].state | seen[i]] AS runs
UNWIND range(0, size(runs) - 1) AS i
WITH o, kind, runs[i].state AS state, coalesce(runs[i + 1].since, until) - runs[i].since AS seconds
RETURN o.place AS place, kind, state, count(*) AS times,
       round(sum(seconds), 1) AS seconds, round(max(seconds), 1) AS longest
ORDER BY place, kind, seconds DESC
