// Note that what had ended by a moment, by the wall clock, is forgotten: what is still being analysed is not committed.
// params: group_id, key (of the moment and the film), of (the film; "": all), before, now
// An earlier note of an earlier moment says nothing more then.
MERGE (f:ForgottenFootage {group_id: $group_id, film: '', clip: $key})
SET f.of = $of, f.before = $before, f.forgotten_at = $now
WITH f
MATCH (old:ForgottenFootage)
WHERE old.group_id = $group_id AND old.film = '' AND old.clip > '' AND old.of = $of AND old.before < $before
DELETE old
