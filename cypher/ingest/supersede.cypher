// Supersede events: they leave the current graph, and the events before and after each are linked as if it had never
// been there. For questions with known_at they keep their properties, people, objects, clips and embeddings.
// params: group_id, node_ids, jump_gap, now
// Planning takes seconds and its result does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip

// Invalidates read caches.
MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(g.rewritten, 0) + 1
WITH g

MATCH (seqs:Counter {name: 'embedding_seq'})
UNWIND $node_ids AS node_id
MATCH (e:Event {node_id: node_id})
FOREACH (_ IN CASE WHEN e:PlainText THEN [1] ELSE [] END | SET e:PlainSupersededEvent REMOVE e:PlainText)
SET e:SupersededEvent, e.superseded_at = $now
REMOVE e:Event
WITH seqs, collect(e) AS gone
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[edge:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]-(:Event|SupersededEvent)
  DELETE edge
}

// A new sequence number, so that dense indexes notice.
CALL (seqs, gone) {
  UNWIND gone AS e
  MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE m.model IS NOT NULL
  WITH seqs, collect(m) AS changed
  FOREACH (i IN range(0, size(changed) - 1) | FOREACH (m IN [changed[i]] | SET m.seq = seqs.next + i))
  SET seqs.next = seqs.next + size(changed)
}

CALL (gone) {
  UNWIND gone AS e
  MATCH (v:Video {group_id: e.group_id, video_id: e.video_id})
  // <include ingest/commit_merged chains>
}
WITH gone
UNWIND gone AS e
MATCH (e)-[part:INVOLVES|USES]->(:Person|Object)
REMOVE part.key, part.seen, part.heard
RETURN count(DISTINCT e) AS superseded
