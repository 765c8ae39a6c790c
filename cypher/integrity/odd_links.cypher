// Relationships of a group that lack a property which everything else relies on, or have one with another type; and all but
// one of several that are the same.
// params: group_id, types {type: {property: [what valueType may call it]}}
MATCH (n)
WHERE n.group_id = $group_id
CALL (n) {
  MATCH (n)-[r]->()
  WHERE type(r) IN keys($types) AND any(name IN keys($types[type(r)]) WHERE NOT valueType(r[name]) IN $types[type(r)][name])
  RETURN r
  UNION
  MATCH (n)-[r]->(other)
  WHERE type(r) IN keys($types)
  // One that was made later is the same: the first stays.
  WITH other, r, COLLECT { UNWIND keys(r) AS k WITH k WHERE k <> 'created_at' ORDER BY k RETURN [k, r[k]] } AS p
  ORDER BY r.created_at
  WITH other, type(r) AS type, p, collect(r) AS same
  UNWIND same[1..] AS r
  RETURN r
}
RETURN elementId(r) AS id, elementId(n) AS start, type(r) AS label ORDER BY label, id
