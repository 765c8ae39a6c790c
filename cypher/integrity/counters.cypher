// Counters whose next number is already in use, with the least number that each may give.
// params: group_id (the sequence numbers of its model are checked)
OPTIONAL MATCH (g:Group {group_id: $group_id})
WITH head(COLLECT { MATCH (e:Event) WHERE e.node_id >= 0 RETURN e.node_id ORDER BY e.node_id DESC LIMIT 1 }) AS event,
     head(COLLECT { MATCH (e:SupersededEvent) WHERE e.node_id >= 0 RETURN e.node_id ORDER BY e.node_id DESC LIMIT 1 }) AS past,
     head(COLLECT { MATCH (e:Episode) WHERE e.vector_id >= 0 RETURN e.vector_id ORDER BY e.vector_id DESC LIMIT 1 }) AS turn,
     head(COLLECT { MATCH (f:Fact) WHERE f.vector_id >= 0 RETURN f.vector_id ORDER BY f.vector_id DESC LIMIT 1 }) AS fact,
     COLLECT {
       UNWIND ['event', 'episode', 'fact'] AS kind
       CALL (kind, g) {
         MATCH (m:Embedding) WHERE m.kind = kind AND m.model = g.embedding_model AND m.seq >= 0
         RETURN m.seq AS seq ORDER BY m.kind DESC, m.model DESC, m.seq DESC LIMIT 1
       }
       RETURN seq
     } AS seqs
UNWIND [{name: 'node_id', numbers: [event, past], kind: 'event'}, {name: 'vector_id', numbers: [turn], kind: 'episode'},
        {name: 'fact_vector_id', numbers: [fact], kind: 'fact'}, {name: 'embedding_seq', numbers: seqs, kind: null}] AS used
OPTIONAL MATCH (k:Counter {name: used.name})
WITH used, coalesce(toIntegerOrNull(k.next), 0) AS next
CALL (used, next) {
  // An id of something forgotten is not given again: its embedding is still there. Only if one of the next ids is taken,
  // all embeddings are read.
  UNWIND range(next, next + 99) AS id
  MATCH (m:Embedding {kind: used.kind, owner: toString(id)}) WHERE m.model IS NOT NULL
  WITH count(m) AS taken WHERE taken > 0
  MATCH (m:Embedding) WHERE m.kind = used.kind AND m.owner IS NOT NULL AND m.model IS NOT NULL
  RETURN max(toIntegerOrNull(m.owner)) AS last
  UNION
  RETURN null AS last
}
WITH used, next, max(last) AS last
WITH used.name AS name, next, [n IN used.numbers + [last] WHERE n IS NOT NULL] AS numbers
WITH name, next, reduce(least = 0, n IN numbers | CASE WHEN n >= least THEN n + 1 ELSE least END) AS least
WHERE next < least
RETURN name, next, least
