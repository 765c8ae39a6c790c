// Where persons are seen and heard in their videos, from the sight before a first position to the one after a last.
// params: chains [{key (of INVOLVES.seen and .heard), first, last}]
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $chains AS chain
WITH chain.key AS key, chain.first AS first, chain.last AS last
WITH key,
  coalesce(head(COLLECT {
    MATCH (:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = key AND r.position < first
    RETURN r.position ORDER BY r.seen DESC, r.position DESC LIMIT 1
  }), '') AS first,
  coalesce(head(COLLECT {
    MATCH (:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = key AND r.position > last
    RETURN r.position ORDER BY r.seen, r.position LIMIT 1
  }), '~') AS last
RETURN key,
  COLLECT {
    MATCH (e:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = key AND r.position >= first AND r.position <= last
    RETURN DISTINCT e {.position, .node_id}
  } AS seen,
  COLLECT {
    MATCH (e:Event)-[r:INVOLVES]->(:Person) WHERE r.heard = key AND r.position >= first AND r.position <= last
    RETURN {position: e.position, node_id: e.node_id, confidence: r.confidence, evidence: r.evidence}
  } AS heard
