// Write merged events, and MERGED_INTO from the superseded events they replace.
// params: model, dim, events [{props, clip_ids, parts, longest, involvements, uses ...}], jump_gap, now
// Planning takes seconds and its result does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (seqs:Counter {name: 'embedding_seq'}) ON CREATE SET seqs.next = 0
// <include ingest/commit_clips ids>
// <include ingest/commit_clips event_seqs>
WITH ids, seqs, ids.next AS first_id, seqs.next AS first_seq
SET ids.next = first_id + size($events), seqs.next = first_seq + size($events)

WITH first_id, first_seq
CALL (first_id, first_seq) {
  UNWIND range(0, size($events) - 1) AS i
  WITH $events[i] AS row, first_id + i AS node_id, first_seq + i AS seq
  MATCH (c:Clip {group_id: row.props.group_id, video_id: row.props.video_id, clip_id: row.props.clip_id})
        -[:OF_VIDEO]->(v:Video)
  SET v.longest = CASE WHEN v.longest >= row.longest THEN v.longest ELSE row.longest END
  WITH row, node_id, seq, c, v
  // <include ingest/commit_clips event>
  CALL (e, row) {
    UNWIND row.props.clip_ids AS clip_id
    MATCH (other:Clip {group_id: e.group_id, video_id: e.video_id, clip_id: clip_id})
    MERGE (other)<-[in:IN_CLIP]-(e) ON CREATE SET in.group_id = e.group_id, in.created_at = $now
  }
  CALL (e, row) {
    UNWIND row.parts AS part
    MATCH (old:SupersededEvent {node_id: part})
    MERGE (old)-[into:MERGED_INTO]->(e) ON CREATE SET into.group_id = e.group_id, into.at = $now, into.created_at = $now
  }
}
RETURN first_id
