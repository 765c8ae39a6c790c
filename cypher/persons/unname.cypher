// Delete a person whom only a name given by hand made, once nobody stands for them.
// params: group_id, person_id
MATCH (p:Person {group_id: $group_id, scope: '', person_id: $person_id})
WHERE p.named AND NOT EXISTS { (p)<-[:INVOLVES]-() } AND NOT EXISTS { (p)-[:MERGED_INTO]-() }
DETACH DELETE p
