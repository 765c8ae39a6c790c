// Nodes of a group that lack a property which everything else relies on, or have one with another type; and nodes that have
// lost the group itself but keep a relationship that has it, or else all other properties of ours and a relationship of ours to a
// node that has it. Counters belong to every group: those with our names, and those that have lost their name and have no
// property that ours lack. Nodes of another application may have the same labels.
// params: group_id, types {label: {property: [what valueType may call it]}}, json {label: [properties that hold JSON]}, linked
// linked: types of our relationships. label: a key of `types`. odd: names of those properties
// A scan: what has lost a part of its key is in no index.
MATCH (n:Group|Video|Clip|Event|SupersededEvent|Scene|Person|Object|Session|Episode|Speaker|Mention|Fact|FactUpkeep|Counter|Embedding)
WHERE n.group_id = $group_id OR n.group_id IS NOT :: STRING NOT NULL AND EXISTS {
    MATCH (n)-[r]-(near)
    WHERE r.group_id = $group_id OR near.group_id = $group_id AND type(r) IN $linked
      AND any(label IN labels(n) WHERE label IN keys($types)
        AND all(name IN keys($types[label]) WHERE valueType(n[name]) IN $types[label][name]))
  }
  OR n:Counter AND (n.name IN ['node_id', 'vector_id', 'fact_vector_id', 'embedding_seq', 'person_merges']
    OR toStringOrNull(n.name) STARTS WITH 'dense '
    OR n.name IS NOT :: STRING NOT NULL AND 'next' IN keys(n) AND NOT EXISTS { (n)--() }
      AND all(key IN keys(n) WHERE key IN ['name', 'next', 'gone', 'locked_at']))
// Not `n.next IS NOT NULL`: Neo4j 5.26 then returns true for that property of properties(n).
// The bytes of a vector are left where they are: their number tells whether they are whole.
WITH n, CASE WHEN n:Embedding THEN n {.group_id, .kind, .owner, .model, .seq, .dim, .created_at} ELSE properties(n) END AS p,
     head([label IN labels(n) WHERE $types[label] IS NOT NULL]) AS label
WITH n, p, CASE WHEN p.status = 'committed' AND label = 'Clip' THEN 'Clip committed' ELSE label END AS label
WITH n, p, label, $types[label] AS types
WITH n, p, label,
     [name IN keys(types) WHERE name <> 'data' AND NOT valueType(p[name]) IN types[name]]
     + [name IN $json[label] WHERE NOT coalesce(p[name] =~ '(?s)[\\[{].*[\\]}]', true)]
     + CASE WHEN n:Counter OR p.group_id IS :: STRING NOT NULL THEN [] ELSE ['group_id'] END
     // The name of a vector is a number.
     + CASE WHEN n:Embedding AND toIntegerOrNull(p.owner) IS NULL THEN ['owner'] ELSE [] END
     // Only a list has no text.
     + CASE WHEN NOT n:Embedding THEN [] WHEN toStringOrNull(n.data) IS NOT NULL THEN ['data']
         WHEN n.dim IS :: INTEGER NOT NULL AND NOT size(n.data) IN [0, 4 * n.dim] THEN ['data'] ELSE [] END AS odd
WHERE size(odd) > 0
RETURN elementId(n) AS id, label, odd, p AS properties ORDER BY label, id
