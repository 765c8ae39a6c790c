// Accept that events have lost persons or objects. Their clips count as damaged: taking them in again makes them whole.
// params: group_id, events [{node_id, links}], now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
UNWIND $events AS row
MATCH (e:Event|SupersededEvent {node_id: row.node_id})
WHERE e.group_id = $group_id
SET e.links = row.links
WITH e
MATCH (e)-[:IN_CLIP]->(c:Clip)
SET c.damaged = true
