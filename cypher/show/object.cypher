// An object with its events in order of time; one row per place.
// params: name, limit, group_id, seconds, clock, known_at (recall/scope.cypher)
MATCH (x:Object)
WHERE x.group_id = $group_id AND x.name = $name
RETURN x.name AS name, x.place AS place,
       COUNT {
         MATCH (x)<-[:USES]-(e:Event) WHERE
         // <include recall/scope then>
         RETURN e } AS times,
       COLLECT {
         MATCH (x)<-[r:USES]-(e:Event) WHERE
         // <include recall/scope then>
         RETURN {node_id: e.node_id, video_id: e.video_id, time_start: e.time_start, time_end: e.time_end,
                 verb: r.verb, to_state: r.to_state, summary_text: e.summary_text}
         ORDER BY r.key, r.position, r.seq LIMIT $limit
       } AS events
ORDER BY place
