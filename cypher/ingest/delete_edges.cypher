// Delete edges between events: those that new events stand between, or that repair finds superfluous.
// params: edges [{src, dst, type, key}] (node_ids; key: of the edge, empty if it has none)
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $edges AS row
MATCH (src:Event {node_id: row.src})
CALL (src, row) {
  MATCH (src)-[edge:
    // <include recall/channels channels>
  ]->(dst:Event)
  WHERE dst.node_id = row.dst AND type(edge) = row.type AND coalesce(edge.key, '') = row.key
  DELETE edge
}
