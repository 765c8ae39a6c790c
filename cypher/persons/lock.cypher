// Lock out other writers, as ingest/lock does, and count the merge or undo, which invalidates alias caches.
// params: now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (k:Counter {name: 'person_merges'})
SET k.next = coalesce(toIntegerOrNull(k.next), 0) + 1
