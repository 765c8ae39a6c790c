// What the read cache lacks for a question's ranked events, in one read: the events, every edge of the best of them, and
// the events next to those in time.
// params: node_ids, best, group_id
RETURN
  COLLECT {
    UNWIND $node_ids AS node_id
    MATCH (e:Event {node_id: node_id})-[:IN_CLIP]->(c:Clip)
    WHERE c.clip_id = e.clip_ids[0] AND e.group_id = $group_id
    RETURN [
      // <include recall/events event>
    ]
  } AS events,
  COLLECT {
    UNWIND $best AS node_id
    MATCH (origin:Event {node_id: node_id})-[r:
      // <include recall/channels channels>
    ]-(e:Event)
    WHERE origin.group_id = $group_id AND e.group_id = $group_id
    RETURN [
      // <include recall/edges edge>
    ]
  } AS edges,
  COLLECT {
    UNWIND $best AS node_id
    MATCH (origin:Event {node_id: node_id})-[:TEMPORAL]-(e:Event)
    WHERE origin.group_id = $group_id AND NOT e.node_id IN $node_ids
    WITH DISTINCT e
    MATCH (e)-[:IN_CLIP]->(c:Clip)
    WHERE c.clip_id = e.clip_ids[0] AND e.group_id = $group_id
    RETURN [
      // <include recall/events event>
    ]
  } AS beside
