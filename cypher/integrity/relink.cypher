// Make the edges again that lead from and to events; those that are right stay as they are.
// params: group_id, node_ids, jump_gap, now
// Planning takes seconds and its result does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip

// Locked first, as by every writer (ingest/lock). `rewritten` invalidates read caches.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(g.rewritten, 0) + 1
WITH g
CALL (g) {
  UNWIND $node_ids AS node_id
  MATCH (e:Event {node_id: node_id})
  MATCH (v:Video {group_id: e.group_id, video_id: e.video_id})
  // <include ingest/commit_merged sounds>
  // <include ingest/commit_merged chains>
}
RETURN count(g) AS groups
