// A page of the persons of an id, or those they were merged into, one per scope, each with its first events in order of
// time; and how many persons there are. One row without a person if none is on the page; no row if there is none at all.
// params: person_id, events (the most of each), start, limit, group_id, seconds, clock, known_at (recall/scope.cypher)
MATCH (named:Person)
WHERE named.group_id = $group_id AND named.person_id = $person_id AND named.split IS NULL
MATCH (named)-[:MERGED_INTO*0..]->(x:Person) WHERE NOT EXISTS { (x)-[:MERGED_INTO]->(:Person) }
WITH DISTINCT x ORDER BY x.scope
WITH collect(x) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS x RETURN x SKIP $start LIMIT $limit }
RETURN x.person_id AS person_id, x.scope AS scope,
       COLLECT { MATCH (x)<-[:MERGED_INTO*1..]-(p:Person) RETURN p.person_id ORDER BY p.person_id, p.scope } AS also,
       COUNT {
         MATCH (x)<-[:INVOLVES]-(e:Event) WHERE
         // <include recall/scope then>
         RETURN DISTINCT e } AS times,
       COLLECT {
         MATCH (x)<-[r:INVOLVES]-(e:Event) WHERE
         // <include recall/scope then>
         WITH e, r.key AS key, r.position AS position, r.role AS role ORDER BY role
         WITH e, key, position, collect(DISTINCT role) AS roles
         RETURN {node_id: e.node_id, at: e.at, video_id: e.video_id, time_start: e.time_start, time_end: e.time_end,
                 roles: roles, summary_text: e.summary_text}
         ORDER BY key, position LIMIT $events
       } AS events, total
ORDER BY scope
