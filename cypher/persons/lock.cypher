// Lock out other writers, as ingest/lock does, and count the merge or undo, which invalidates alias caches.
// params: now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (k:Counter {name: 'person_merges'}) ON CREATE SET k.next = 0
SET k.next = k.next + 1
