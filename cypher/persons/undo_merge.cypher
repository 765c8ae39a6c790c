// Undo that one person is another. The other statements of this folder move the edges back.
// params: group_id, one [scope, person_id]
// Returns aliases: the person itself and everybody merged into it.
MATCH (one:Person {group_id: $group_id, scope: $one[0], person_id: $one[1]})-[into:MERGED_INTO]->(:Person)
DELETE into
WITH one
RETURN COLLECT { MATCH (one)<-[:MERGED_INTO*0..]-(p:Person) RETURN [p.scope, p.person_id] } AS aliases
