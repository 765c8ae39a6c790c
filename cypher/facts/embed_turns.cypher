// Write the embeddings of turns that waited for them and take those out of the queue. Safe to run twice.
// params: group_id, model, dim, rows [{user_id, id, data}], now
// A turn that was forgotten is left out. Nothing is written if the group has another embedding model.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
// <include conversations/commit_episodes turn_seqs>
WITH seqs
OPTIONAL MATCH (g:Group {group_id: $group_id})
WITH seqs, g, g.embedding_model = $model AND g.embedding_dim = $dim AS fits
CALL (fits, seqs) {
  WITH fits WHERE fits
  UNWIND $rows AS row
  MATCH (e:Episode {group_id: $group_id, user_id: row.user_id, episode_id: row.id})
  WITH collect({turn: e, data: row.data}) AS found
  WITH found, seqs.next AS first_seq
  SET seqs.next = first_seq + size(found)
  WITH found, first_seq
  UNWIND range(0, size(found) - 1) AS i
  WITH found[i].turn AS e, found[i].data AS data, first_seq + i AS seq
  SET e.embed_after = null, e.embed_attempts = null, e.embed_error = null
  MERGE (m:Embedding {kind: 'episode', owner: toString(e.vector_id), model: $model})
  SET m.group_id = $group_id, m.seq = seq, m.dim = $dim, m.data = data, m.created_at = $now
  RETURN count(m) AS written
}
RETURN fits, g.embedding_model AS model, g.embedding_dim AS dim, written
