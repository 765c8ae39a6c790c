// The day of a person: what they did and said, with the jumps over the time they were away
// params: group_id, person (id: names in lower case, joined by _)
WITH 'demo' AS group_id, 'man_yellow_jacket' AS person
MATCH (p:Person)
WHERE p.group_id = group_id AND p.person_id = person
MATCH part = (p)<-[i:INVOLVES]-(e:Event)
WHERE i.role <> 'mentioned'
OPTIONAL MATCH jump = (:Event)-[j:ENTITY_JUMP]->(e) WHERE j.person = person
OPTIONAL MATCH use = (e)-[u:USES]->(:Object) WHERE u.actor = person
RETURN part, jump, use
