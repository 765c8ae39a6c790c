// Note that turns, facts, footage or a group are forgotten: turns that wait in the spool of another machine are not committed
// then, and imports that were asked for before do not bring them back.
// params: group_id (empty: the key is that of a whole group), key, now
// Locked first, as by every writer: what is written from now on sees the note.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (t:ForgottenTurns {group_id: $group_id, key: $key})
SET t.forgotten_at = $now
