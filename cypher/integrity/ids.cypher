// The node_id counter and the number of events: equal unless an event is missing.
// params: none
OPTIONAL MATCH (k:Counter {name: 'node_id'})
RETURN coalesce(k.next, 0) AS next, COUNT { (:Event) } + COUNT { (:SupersededEvent) } AS events
