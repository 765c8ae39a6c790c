// Delete a person whom no event involves and nobody is merged into.
// params: group_id, who [scope, person_id]
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})
WHERE NOT EXISTS { (p)<-[:INVOLVES]-() } AND NOT EXISTS { (p)-[:MERGED_INTO]-() }
DETACH DELETE p
