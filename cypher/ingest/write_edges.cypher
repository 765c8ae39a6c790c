// Write edges between stored events (docs/graph-model.md, Channels). Safe to run twice.
// params: group_id, now, ends, edges
// now: the created_at of new edges; null: that of the later of both events, as if its commit had made them
// ends: node_ids of the events that get edges, in order. `src` and `dst` are indexes into it. An event that was deleted
// since gets no edge.
// edges {temporal [{src, dst, gap}], jumps [{src, dst, gap, key, person}], lifecycles [{src, dst, gap, key, object, change}],
// sounds [{src, dst, subject, overlap, confidence}], voices [{src, dst, key, person, evidence, confidence}]}
// (gap: seconds; change: of one action, with its seq)
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
WITH COLLECT {
       UNWIND $ends AS node_id
       OPTIONAL MATCH (e:Event {node_id: node_id})
       RETURN e ORDER BY node_id
     } AS events
// <edges>
CALL (events) {
  UNWIND $edges.temporal AS row
  WITH row, events[row.src] AS src, events[row.dst] AS dst
  WHERE src IS NOT NULL AND dst IS NOT NULL
  MERGE (src)-[edge:TEMPORAL]->(dst)
    ON CREATE SET edge.group_id = $group_id, edge.created_at = coalesce(
      $now, CASE WHEN src.created_at > dst.created_at THEN src.created_at ELSE dst.created_at END)
  SET edge.time_gap = round(row.gap, 3)
}
CALL (events) {
  UNWIND $edges.jumps AS row
  WITH row, events[row.src] AS src, events[row.dst] AS dst
  WHERE src IS NOT NULL AND dst IS NOT NULL
  MERGE (src)-[edge:ENTITY_JUMP {key: row.key}]->(dst)
    ON CREATE SET edge.group_id = $group_id, edge.created_at = coalesce(
      $now, CASE WHEN src.created_at > dst.created_at THEN src.created_at ELSE dst.created_at END)
  SET edge.person = row.person, edge.time_gap = round(row.gap, 3)
}
CALL (events) {
  UNWIND $edges.lifecycles AS row
  WITH row, events[row.src] AS src, events[row.dst] AS dst
  WHERE src IS NOT NULL AND dst IS NOT NULL
  MERGE (src)-[edge:OBJECT_LIFECYCLE {key: row.key}]->(dst)
    ON CREATE SET edge.group_id = $group_id, edge.created_at = coalesce(
      $now, CASE WHEN src.created_at > dst.created_at THEN src.created_at ELSE dst.created_at END)
  SET edge += row.change, edge.object = row.object, edge.time_gap = round(row.gap, 3)
}
CALL (events) {
  UNWIND $edges.sounds AS row
  WITH row, events[row.src] AS src, events[row.dst] AS dst
  WHERE src IS NOT NULL AND dst IS NOT NULL
  MERGE (src)-[edge:CROSS_MODAL {kind: 'sound', subject: left(row.subject, 200)}]->(dst)
    ON CREATE SET edge.group_id = $group_id, edge.created_at = coalesce(
      $now, CASE WHEN src.created_at > dst.created_at THEN src.created_at ELSE dst.created_at END)
  SET edge.evidence = 'overlap', edge.overlap = round(row.overlap, 3), edge.confidence = round(row.confidence, 3)
}
CALL (events) {
  UNWIND $edges.voices AS row
  WITH row, events[row.src] AS src, events[row.dst] AS dst
  WHERE src IS NOT NULL AND dst IS NOT NULL
  MERGE (src)-[edge:CROSS_MODAL {kind: 'person', key: row.key}]->(dst)
    ON CREATE SET edge.group_id = $group_id, edge.created_at = coalesce(
      $now, CASE WHEN src.created_at > dst.created_at THEN src.created_at ELSE dst.created_at END)
  SET edge.subject = row.person, edge.evidence = row.evidence, edge.confidence = row.confidence
}
// </edges>
