// Make superseded events current again, with a new sequence number of their embeddings, so that dense indexes notice.
// params: group_id, node_ids
MATCH (seqs:Counter {name: 'embedding_seq'})
UNWIND $node_ids AS node_id
MATCH (e:SupersededEvent {node_id: node_id})
WHERE e.group_id = $group_id
FOREACH (_ IN CASE WHEN e:PlainSupersededEvent THEN [1] ELSE [] END | SET e:PlainText REMOVE e:PlainSupersededEvent)
SET e:Event
REMOVE e:SupersededEvent, e.superseded_at
WITH seqs, e
CALL (e, seqs) {
  MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE m.model IS NOT NULL
  WITH seqs, collect(m) AS changed
  FOREACH (i IN range(0, size(changed) - 1) | FOREACH (m IN [changed[i]] | SET m.seq = seqs.next + i))
  SET seqs.next = seqs.next + size(changed)
}
RETURN count(e) AS restored
