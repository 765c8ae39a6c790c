// Supersede events: they leave the current graph. For questions with known_at they keep their properties, people, objects,
// clips and embeddings.
// params: group_id, node_ids, now
// Returns events: as of ingest/linked_events, with their places in the chains that they leave; next_id and next_seq: the next
// free node_id and sequence number of embeddings.
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip

// Invalidates read caches. Of a damaged graph the group may be gone; what is forgotten of it has to go all the same.
OPTIONAL MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1
WITH g

MATCH (ids:Counter {name: 'node_id'})
WITH ids
MATCH (seqs:Counter {name: 'embedding_seq'})
WITH ids, seqs, COLLECT { UNWIND $node_ids AS node_id MATCH (e:Event {node_id: node_id}) RETURN e } AS gone
WITH ids, seqs, gone, COLLECT {
  UNWIND gone AS e
  WITH e
  CALL (e) {
    RETURN
      // <include ingest/linked_events linked>
  }
  RETURN {props: props, involvements: involvements, uses: uses, video: video}
} AS rows
CALL (gone) {
  UNWIND gone AS e
  FOREACH (_ IN CASE WHEN e:PlainText THEN [1] ELSE [] END | SET e:PlainSupersededEvent REMOVE e:PlainText)
  SET e:SupersededEvent, e.superseded_at = $now
  REMOVE e:Event
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[edge:
    // <include recall/channels channels>
  ]-(:Event|SupersededEvent)
  DELETE edge
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[part:INVOLVES|USES]->(:Person|Object)
  REMOVE part.key, part.seen, part.heard
}

// Scenes hold words of their events, so they go at once. They are made again later (store/write/scenes.py).
CALL (gone) {
  UNWIND gone AS e
  MATCH (v:Video {group_id: $group_id, video_id: e.video_id})
  WITH v, min(e.time_start) AS since, max(e.time_end) AS until
  SET v.scenes_since = CASE WHEN v.scenes_since <= since THEN v.scenes_since ELSE since END,
      v.scenes_until = CASE WHEN v.scenes_until >= until THEN v.scenes_until ELSE until END
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[:PART_OF]->(:Scene)-[:PART_OF*0..]->(scene:Scene)
  WITH collect(DISTINCT scene) AS scenes
  FOREACH (scene IN scenes | DETACH DELETE scene)
}

// A new sequence number, so that dense indexes notice.
CALL (seqs, gone) {
  UNWIND gone AS e
  MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE m.model IS NOT NULL
  WITH seqs, collect(m) AS changed
  FOREACH (i IN range(0, size(changed) - 1) | FOREACH (m IN [changed[i]] | SET m.seq = seqs.next + i))
  SET seqs.next = seqs.next + size(changed)
}
RETURN rows AS events, ids.next AS next_id, seqs.next AS next_seq
