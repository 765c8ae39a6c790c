// All nodes of ours that hold anything, of every group.
// params: none
// Counters too: in the record of a node that holds little, the rest is as it was before.
MATCH (n)
WHERE n.group_id IS NOT NULL OR n:Embedding|Counter|MigrationLock
RETURN elementId(n) AS id
