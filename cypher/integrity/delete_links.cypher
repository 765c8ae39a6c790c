// Delete relationships that are damaged.
// params: rows [{id, start}] (element ids: its own, and of the node that it starts at)
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row.start
CALL (n, row) {
  MATCH (n)-[r]->() WHERE elementId(r) = row.id
  DELETE r
}
