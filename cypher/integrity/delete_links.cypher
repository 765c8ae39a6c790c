// Delete relationships that are damaged.
// params: ids (element ids)
UNWIND $ids AS id
MATCH ()-[r]->() WHERE elementId(r) = id
DELETE r
