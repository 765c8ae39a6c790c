// Become the one that consolidates a user's facts, if nobody is; a holder whose lease is over has lost it.
// params: group_id, user_id, holder, dead, until, now
// dead: a holder that is known to be gone, or null.
MERGE (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
  ON CREATE SET u.read_to = -1, u.created_at = $now
SET u.asked_at = $now
WITH u, u.holder AS holder, u.until AS until,
     u.holder IS NULL OR u.until < $now OR u.holder = $holder OR u.holder = $dead AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END | SET u.holder = $holder, u.until = $until)
RETURN free, holder, until, u.read_to AS read_to
