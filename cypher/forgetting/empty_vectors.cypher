// Take the data and the group's name from at most `limit` embeddings of a group whose owners are gone.
// params: group_id, limit, no_data
// Owners that were deleted by hand have left them.
// <include ingest/lock seqs>
WITH seqs
CALL () {
  UNWIND ['event', 'episode', 'fact'] AS kind
  MATCH (m:Embedding)
  WHERE m.kind = kind AND m.model IS NOT NULL AND m.seq IS NOT NULL AND m.group_id = $group_id
  WITH m LIMIT $limit
  RETURN collect(m) AS vectors
}
WITH seqs, vectors, seqs.next AS first
FOREACH (i IN range(0, size(vectors) - 1) |
  FOREACH (m IN [vectors[i]] | SET m.data = $no_data, m.seq = first + i, m.group_id = ''))
SET seqs.next = first + size(vectors)
RETURN size(vectors) AS emptied
