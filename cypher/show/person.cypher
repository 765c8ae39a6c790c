// A person, or the one it was merged into, with its events in order of time; one row per scope.
// params: person_id, limit, group_id, seconds, clock, known_at (recall/scope.cypher)
MATCH (named:Person)
WHERE named.group_id = $group_id AND named.person_id = $person_id
MATCH (named)-[:MERGED_INTO*0..]->(x:Person) WHERE NOT EXISTS { (x)-[:MERGED_INTO]->(:Person) }
WITH DISTINCT x
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
         RETURN {node_id: e.node_id, video_id: e.video_id, time_start: e.time_start, time_end: e.time_end,
                 roles: roles, summary_text: e.summary_text}
         ORDER BY key, position LIMIT $limit
       } AS events
ORDER BY scope
