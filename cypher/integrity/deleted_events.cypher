// Ids of a group's events that were deleted without being forgotten. No event has such an id, although it was given. Its
// embedding still has data; or there is no embedding, and the events before and after are the group's.
// params: group_id
MATCH (ids:Counter {name: 'node_id'})
UNWIND range(0, ids.next - 1) AS node_id
WITH node_id
WHERE NOT EXISTS { (:Event {node_id: node_id}) } AND NOT EXISTS { (:SupersededEvent {node_id: node_id}) }
WITH node_id, COLLECT {
  MATCH (m:Embedding {kind: 'event', owner: toString(node_id)}) WHERE m.model IS NOT NULL
  RETURN CASE WHEN size(m.data) > 0 THEN m.group_id ELSE '' END
} AS embedded
WHERE $group_id IN embedded OR size(embedded) = 0 AND head(COLLECT {
  MATCH (e:Event) WHERE e.node_id < node_id RETURN e.group_id ORDER BY e.node_id DESC LIMIT 1
}) = $group_id AND head(COLLECT {
  MATCH (e:Event) WHERE e.node_id > node_id RETURN e.group_id ORDER BY e.node_id LIMIT 1
}) = $group_id
RETURN node_id ORDER BY node_id
