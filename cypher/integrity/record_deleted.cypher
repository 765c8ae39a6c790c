// Record that events are gone: their embeddings are kept without data and get a new sequence number, so that dense
// indexes drop them and their ids are known to be given.
// params: group_id, events [{node_id}], no_data, now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
SET ids.gone = coalesce(toIntegerOrNull(ids.gone), 0) + size($events)
// <include ingest/lock seqs>
WITH seqs
MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1
WITH seqs, g, seqs.next AS first
SET seqs.next = first + size($events)
WITH g, first
UNWIND range(0, size($events) - 1) AS i
MERGE (m:Embedding {kind: 'event', owner: toString($events[i].node_id), model: g.embedding_model})
  ON CREATE SET m.group_id = $group_id, m.dim = g.embedding_dim, m.created_at = $now
SET m.data = $no_data, m.seq = first + i
RETURN count(m) AS recorded
