// Take back that a person is another. What follows from it is done by the statements beside this one.
// params: group_id, one [scope, person_id]
// told: who all is that person then: itself, and whoever was merged into it.
MATCH (one:Person {group_id: $group_id, scope: $one[0], person_id: $one[1]})-[into:MERGED_INTO]->(:Person)
DELETE into
WITH one
RETURN COLLECT { MATCH (one)<-[:MERGED_INTO*0..]-(p:Person) RETURN [p.scope, p.person_id] } AS told
