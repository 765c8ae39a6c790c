// The number of the event that was written last, in any group; -1 if there is none.
// params: none
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
RETURN coalesce(toIntegerOrNull(ids.next), 0) - 1 AS node_id
