// The persons with an id in a group, the group's own first, each with the person it is merged into (itself if none).
// params: group_id, person_id
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id = $person_id
MATCH (p)-[:MERGED_INTO*0..]->(now:Person) WHERE NOT EXISTS { (now)-[:MERGED_INTO]->(:Person) }
RETURN p.scope AS scope, now.scope AS now_scope, now.person_id AS now_id,
       EXISTS { (p)-[:MERGED_INTO]->(:Person) } AS merged, coalesce(p.split, false) AS split
ORDER BY scope
