// The events of a person with everybody they involve, to compute their scope_text.
// params: group_id, who [scope, person_id]
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[:INVOLVES]-(e)
WITH DISTINCT e
RETURN collect([elementId(e), e.video_id, e.scope_text, COLLECT { MATCH (e)-[:INVOLVES]->(o:Person) RETURN DISTINCT [o.scope, o.person_id] }]) AS events
