// The life of an object: its events and the changes of state between them
// params: group_id, object (its key: lower case, singular)
WITH 'demo' AS group_id, 'key' AS object
MATCH (o:Object)
WHERE o.group_id = group_id AND o.name = object
MATCH use = (o)<-[:USES]-(e:Event)
OPTIONAL MATCH change = (:Event)-[l:OBJECT_LIFECYCLE]->(e) WHERE l.object = object
RETURN use, change
