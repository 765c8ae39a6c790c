// All nodes of the graph, of every group.
// params: none
MATCH (n)
WHERE n.group_id IS NOT NULL OR n:Embedding
RETURN elementId(n) AS id
