// Record that turns and facts are gone: their embeddings stay without data, so that dense indexes drop them.
// params: rows [{kind, owner}], no_data, now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
WITH seqs
UNWIND $rows AS row
MATCH (m:Embedding {kind: CASE row.kind WHEN 'turn' THEN 'episode' ELSE 'fact' END, owner: row.owner}) WHERE m.model IS NOT NULL
WITH seqs, collect(m) AS vectors
WITH vectors, seqs, seqs.next AS first
FOREACH (i IN range(0, size(vectors) - 1) |
  FOREACH (m IN [vectors[i]] | SET m.data = $no_data, m.seq = first + i, m.group_id = ''))
SET seqs.next = first + size(vectors)
