// Prolong the lease within a transaction that writes. No row: somebody else has taken it.
// params: group_id, user_id, holder, until, now
// Every writer locks this counter first (conversations/commit_episodes).
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH 1 AS _
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET u.asked_at = $now
WITH u WHERE u.holder = $holder
SET u.until = $until
RETURN u.read_to AS read_to
