// A page of the objects of a name, one per place, each with its first events in order of time; and how many objects there
// are. One row without an object if none is on the page; no row if there is none at all.
// params: name, events (the most of each), start, limit, group_id, seconds, clock, known_at (recall/scope.cypher)
MATCH (x:Object)
WHERE x.group_id = $group_id AND x.name = $name
WITH x ORDER BY x.place
WITH collect(x) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS x RETURN x SKIP $start LIMIT $limit }
RETURN x.name AS name, x.place AS place,
       COUNT {
         MATCH (x)<-[:USES]-(e:Event) WHERE
         // <include recall/scope then>
         RETURN e } AS times,
       COLLECT {
         MATCH (x)<-[r:USES]-(e:Event) WHERE
         // <include recall/scope then>
         RETURN {node_id: e.node_id, at: e.at, video_id: e.video_id, time_start: e.time_start, time_end: e.time_end,
                 verb: r.verb, to_state: r.to_state, summary_text: e.summary_text}
         ORDER BY r.key, r.position, r.seq LIMIT $events
       } AS events, total
ORDER BY place
