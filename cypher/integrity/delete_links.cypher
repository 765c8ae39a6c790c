// Delete relationships that are damaged.
// params: ids (element ids)
MATCH ()-[r]->() WHERE elementId(r) IN $ids
DELETE r
