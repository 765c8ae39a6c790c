// Delete nodes that are damaged.
// params: ids (element ids)
UNWIND $ids AS id
MATCH (n) WHERE elementId(n) = id
DETACH DELETE n
