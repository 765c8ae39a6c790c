// Relationships of a group that lack a property which everything else relies on, or have one with another type.
// params: group_id, types {type: {property: [what valueType may call it]}}
MATCH (n)-[r]->()
WHERE n.group_id = $group_id AND type(r) IN keys($types)
WITH n, r, properties(r) AS p, $types[type(r)] AS types
WHERE any(name IN keys(types) WHERE NOT valueType(p[name]) IN types[name])
RETURN elementId(r) AS id, elementId(n) AS start, type(r) AS label ORDER BY label, id
