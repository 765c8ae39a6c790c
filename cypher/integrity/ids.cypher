// The node_id counter, and the number of events that are there or recorded as gone: equal unless an event is missing.
// params: none
OPTIONAL MATCH (k:Counter {name: 'node_id'})
RETURN coalesce(k.next, 0) AS next, COUNT { (:Event) } + COUNT { (:SupersededEvent) } + coalesce(k.gone, 0) AS events
