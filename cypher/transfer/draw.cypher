// Begin a part of an import: lock out other writers, draw numbers for nodes, and note how far the import has come.
// params: group_id, mark, done, next_done, events, turns, facts, now
// No row: another process has gone on with this import, or has begun another.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (vectors:Counter {name: 'vector_id'}) ON CREATE SET vectors.next = 0
MERGE (fact_vectors:Counter {name: 'fact_vector_id'}) ON CREATE SET fact_vectors.next = 0
// <include ingest/lock ids>
// <include conversations/commit_episodes turn_ids>
// <include facts/embed_commit fact_ids>
WITH ids, vectors, fact_vectors
MATCH (g:Group {group_id: $group_id})
WHERE g.importing = $mark AND g.import_done = $done
WITH g, ids, vectors, fact_vectors, ids.next AS event, vectors.next AS turn, fact_vectors.next AS fact
SET g.import_done = $next_done, ids.next = event + $events, vectors.next = turn + $turns, fact_vectors.next = fact + $facts
RETURN event, turn, fact
