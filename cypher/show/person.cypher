// A person with the events it has a part in, in order of time; one row for each scope.
// params: person_id, limit, group_id
MATCH (x:Person)
WHERE x.group_id = $group_id AND x.person_id = $person_id
RETURN x.person_id AS person_id, x.scope AS scope,
       COUNT { MATCH (x)<-[:INVOLVES]-(e:Event) RETURN DISTINCT e } AS times,
       COLLECT {
         MATCH (x)<-[r:INVOLVES]-(e:Event)
         WITH e, r.key AS key, r.position AS position, r.role AS role ORDER BY role
         WITH e, key, position, collect(role) AS roles
         RETURN {node_id: e.node_id, video_id: e.video_id, time_start: e.time_start, time_end: e.time_end,
                 roles: roles, summary_text: e.summary_text}
         ORDER BY key, position LIMIT $limit
       } AS events
ORDER BY scope
