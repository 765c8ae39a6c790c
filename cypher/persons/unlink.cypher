// Delete the ENTITY_JUMP and CROSS_MODAL edges of persons.
// params: group_id, persons [[scope, person_id]]
UNWIND $persons AS who
MATCH (p:Person {group_id: $group_id, scope: who[0], person_id: who[1]})<-[part:INVOLVES]-(e:Event)
WITH DISTINCT e, part.key AS key
MATCH (e)-[edge:ENTITY_JUMP|CROSS_MODAL]->(:Event) WHERE edge.key = key
DELETE edge
