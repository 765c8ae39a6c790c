// The persons that were merged into one, itself first, with their names.
// params: group_id, who [scope, person_id]
MATCH (now:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[:MERGED_INTO*0..]-(p:Person)
RETURN p.scope AS scope, p.person_id AS person_id, p.name AS name
ORDER BY p <> now, scope, person_id
