// A person with the events it has a part in, in order of time; one row for each scope.
// params: person_id, limit, group_id
MATCH (x:Person)
WHERE x.group_id = $group_id AND x.person_id = $person_id
RETURN x.person_id AS person_id, x.scope AS scope,
       COUNT { (x)<-[:INVOLVES]-(:Event) } AS times,
       COLLECT {
         MATCH (x)<-[r:INVOLVES]-(e:Event)
         RETURN {node_id: e.node_id, video_id: e.video_id, time_start: e.time_start, time_end: e.time_end,
                 role: r.role, summary_text: e.summary_text}
         ORDER BY r.key, r.position LIMIT $limit
       } AS events
ORDER BY scope
