// Counters that would give a number in use, with the least number that each may give.
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
UNWIND [['node_id', [event, past]], ['vector_id', [turn]], ['fact_vector_id', [fact]], ['embedding_seq', seqs]] AS used
WITH used[0] AS name, reduce(least = 0, n IN used[1] | CASE WHEN n >= least THEN n + 1 ELSE least END) AS least
OPTIONAL MATCH (k:Counter {name: name})
WITH name, least, coalesce(k.next, 0) AS next
WHERE next < least
RETURN name, next, least
