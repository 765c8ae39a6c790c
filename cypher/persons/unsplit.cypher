// Undo a split: a name of the group stands in that video for the group's person again. The other statements of this folder
// move the events.
// params: group_id, one [scope, person_id], now
// Returns home: the person that the name stands for, made if it was forgotten since. No row if `one` is of no split.
MATCH (one:Person {group_id: $group_id, scope: $one[0], person_id: $one[1]}) WHERE one.split
REMOVE one.split
MERGE (named:Person {group_id: $group_id, scope: '', person_id: $one[1]})
  ON CREATE SET named.created_at = $now, named.name = replace($one[1], '_', ' ')
WITH named
MATCH (named)-[:MERGED_INTO*0..]->(now:Person) WHERE NOT EXISTS { (now)-[:MERGED_INTO]->(:Person) }
RETURN [now.scope, now.person_id] AS home
