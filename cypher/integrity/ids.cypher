// The node_id counter, and the number of events that are there or recorded as gone: equal unless an event is missing.
// Events of another application have no node_id.
// params: none
OPTIONAL MATCH (k:Counter {name: 'node_id'})
RETURN coalesce(toIntegerOrNull(k.next), 0) AS next, COUNT { MATCH (e:Event) WHERE e.node_id IS NOT NULL } + COUNT { MATCH (e:SupersededEvent) WHERE e.node_id IS NOT NULL } + coalesce(toIntegerOrNull(k.gone), 0) AS events
