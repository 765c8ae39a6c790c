// All nodes and relationships of the graph, of every group.
MATCH (n)
WHERE n.group_id IS NOT NULL OR n:Embedding
RETURN elementId(n) AS id, true AS is_node
UNION ALL
MATCH ()-[r]->()
WHERE r.group_id IS NOT NULL
RETURN elementId(r) AS id, false AS is_node
