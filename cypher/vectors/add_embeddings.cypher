// Write embeddings of events, episodes and facts by another model, beside those in use.
// params: group_id, model, dim, rows [{kind, owner, data}], now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
// <include ingest/lock event_seqs>
// <include conversations/commit_episodes turn_seqs>
// <include facts/embed_commit fact_seqs>
WITH seqs, seqs.next AS first
SET seqs.next = first + size($rows)
WITH first
UNWIND range(0, size($rows) - 1) AS i
WITH first + i AS seq, $rows[i] AS row
MERGE (m:Embedding {kind: row.kind, owner: row.owner, model: $model})
SET m.group_id = $group_id, m.seq = seq, m.dim = $dim, m.data = row.data, m.created_at = $now
RETURN count(m) AS written
