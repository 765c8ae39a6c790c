// The counter of node ids, and what the graph has of them: no gap means that they are equal.
// params: none
OPTIONAL MATCH (k:Counter {name: 'node_id'})
RETURN coalesce(k.next, 0) AS next, COUNT { (:Event) } + COUNT { (:SupersededEvent) } AS events
