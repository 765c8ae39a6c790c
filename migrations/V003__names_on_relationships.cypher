// A relationship says whom or what it is about, so that an index has the latest of a person or an object in order.
MATCH (:Event)-[r:INVOLVES]->(p:Person) WHERE r.person_id IS NULL SET r.person_id = p.person_id;
MATCH (:Event)-[r:USES]->(o:Object) WHERE r.name IS NULL SET r.name = o.name;
