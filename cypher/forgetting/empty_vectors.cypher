// Take the data and the group's name from at most `limit` embeddings of a group whose owners are gone.
// params: group_id, limit, no_data
// A scan: owners that were deleted by hand have left them.
MATCH (seqs:Counter {name: 'embedding_seq'})
CALL () {
  MATCH (m:Embedding|DenseVector)
  WHERE m:Embedding AND m.group_id = $group_id
  RETURN m LIMIT $limit
}
WITH seqs, collect(m) AS vectors
WITH seqs.next AS first, seqs, vectors
FOREACH (i IN range(0, size(vectors) - 1) |
  FOREACH (m IN [vectors[i]] | SET m.data = $no_data, m.seq = first + i, m.group_id = ''))
SET seqs.next = first + size(vectors)
RETURN size(vectors) AS emptied
