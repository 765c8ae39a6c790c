// Write the embeddings of facts and take those out of the queue. Safe to run twice.
// params: group_id, model, dim, rows [{user_id, id, text, data}], now
// A fact that was deleted or has another text by now is left as it is. Nothing is written if the group has
// another embedding model.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
MERGE (fact_vectors:Counter {name: 'fact_vector_id'}) ON CREATE SET fact_vectors.next = 0
// <fact_ids>
SET fact_vectors.next = coalesce(toIntegerOrNull(fact_vectors.next), 0)
SET fact_vectors.next = reduce(next = fact_vectors.next, used IN COLLECT {
      MATCH (f:Fact) WHERE f.vector_id >= fact_vectors.next RETURN f.vector_id ORDER BY f.vector_id DESC LIMIT 1
    } + COLLECT {
      // An id of something forgotten is not given again: its embedding is still there. Only if one of the next ids is taken,
      // all embeddings are read.
      UNWIND range(fact_vectors.next, fact_vectors.next + 9) AS id
      MATCH (m:Embedding {kind: 'fact', owner: toString(id)}) WHERE m.model IS NOT NULL
      WITH count(m) AS taken WHERE taken > 0
      MATCH (m:Embedding) WHERE m.kind = 'fact' AND m.owner IS NOT NULL AND m.model IS NOT NULL
      RETURN max(toIntegerOrNull(m.owner)) AS used
    } | CASE WHEN used >= next THEN used + 1 ELSE next END)
// </fact_ids>
// <fact_seqs>
SET seqs.next = reduce(next = seqs.next, used IN COLLECT {
      MATCH (m:Embedding) WHERE m.kind = 'fact' AND m.model = $model AND m.seq >= seqs.next
      RETURN m.seq ORDER BY m.kind DESC, m.model DESC, m.seq DESC LIMIT 1
    } | used + 1)
// </fact_seqs>
WITH seqs, fact_vectors
OPTIONAL MATCH (g:Group {group_id: $group_id})
WITH seqs, fact_vectors, g, g.embedding_model = $model AND g.embedding_dim = $dim AS fits
CALL (fits, seqs, fact_vectors) {
  WITH fits WHERE fits
  UNWIND $rows AS row
  MATCH (f:Fact {group_id: $group_id, user_id: row.user_id, fact_id: row.id})
  WHERE coalesce(f.text, f.subject + ' ' + f.relation + ' ' + f.object) = row.text
  WITH collect({fact: f, data: row.data}) AS found
  WITH found, [i IN range(0, size(found) - 1) WHERE found[i].fact.vector_id IS NULL | i] AS fresh
  WITH found, fresh, fact_vectors.next AS first_id, seqs.next AS first_seq
  SET fact_vectors.next = first_id + size(fresh), seqs.next = first_seq + size(found)
  WITH found, fresh, first_id, first_seq
  UNWIND range(0, size(found) - 1) AS i
  WITH found[i].fact AS f, found[i].data AS data, first_seq + i AS seq, first_id + size([n IN fresh WHERE n < i]) AS number
  SET f.vector_id = coalesce(f.vector_id, number), f.embed_after = null, f.embed_attempts = null, f.embed_error = null
  MERGE (m:Embedding {kind: 'fact', owner: toString(f.vector_id), model: $model})
  SET m.group_id = $group_id, m.seq = seq, m.dim = $dim, m.data = data, m.created_at = $now
  RETURN count(m) AS written
}
RETURN fits, g.embedding_model AS model, g.embedding_dim AS dim, written
