// Empty the embeddings of facts that are deleted; other statements include the middle part.
// params: group_id, owners (vector_ids as strings), no_data, now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
WITH seqs, $owners AS fact_owners
// <blank>
CALL (fact_owners, seqs) {
  UNWIND fact_owners AS owner
  MATCH (v:Embedding {kind: 'fact', owner: owner})
  WHERE v.model IS NOT NULL AND v.group_id = $group_id
  WITH collect(v) AS emptied
  WITH emptied, seqs.next AS first
  FOREACH (i IN range(0, size(emptied) - 1) |
    FOREACH (v IN [emptied[i]] | SET v.data = $no_data, v.seq = first + i, v.group_id = ''))
  SET seqs.next = first + size(emptied)
  RETURN size(emptied) AS fact_vectors
}
// </blank>
RETURN fact_vectors
