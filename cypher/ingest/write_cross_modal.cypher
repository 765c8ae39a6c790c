// CROSS_MODAL: from a sound to the events seen while it is heard, and from a voice to the nearest events that show its person.
// params: group_id, sounds [[from, to, subject, overlap, confidence]], voices [[from, to, key, person, evidence, confidence]], now
// from, to: node_ids; times in seconds.
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
CALL () {
  UNWIND $sounds AS row
  MATCH (src:Event {node_id: row[0]})
  CALL (src, row) {
    MATCH (dst:Event {node_id: row[1]})
    CREATE (src)-[:CROSS_MODAL {kind: 'sound', subject: left(row[2], 200), group_id: $group_id, created_at: $now,
                                evidence: 'overlap', overlap: round(row[3], 3), confidence: round(row[4], 3)}]->(dst)
  }
}
CALL () {
  UNWIND $voices AS row
  MATCH (src:Event {node_id: row[0]})
  CALL (src, row) {
    MATCH (dst:Event {node_id: row[1]})
    CREATE (src)-[x:CROSS_MODAL {kind: 'person', key: row[2], subject: row[3], group_id: $group_id, created_at: $now}]->(dst)
    SET x.evidence = row[4], x.confidence = row[5]
  }
}
