// Lock out other writers until the transaction ends, as ingest/lock does.
// params: now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
