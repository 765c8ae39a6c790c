// Take the name given by hand from a person as whom nobody stands any more. Delete whom nothing else made.
// params: group_id, person_id
MATCH (p:Person {group_id: $group_id, scope: '', person_id: $person_id})
WHERE p.named IS NOT NULL AND NOT EXISTS { (p)<-[:MERGED_INTO]-(:Person) }
REMOVE p.named
WITH p WHERE NOT EXISTS { (p)<-[:INVOLVES]-() } AND NOT EXISTS { (p)-[:MERGED_INTO]-() }
DETACH DELETE p
