// Take the lease to consolidate a user's facts, if nobody has it or the holder's is over. No row: the user has no turns or
// facts and the group has no videos, so that there is nothing to read facts from.
// params: group_id, user_id, holder, dead, until, now
// dead: a holder whose process is known to have ended, or null.
WITH 1 AS _
WHERE EXISTS { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.episode_id IS NOT NULL }
   OR EXISTS { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.fact_id IS NOT NULL }
   OR EXISTS { MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL }
   OR EXISTS { MATCH (:FactUpkeep {group_id: $group_id, user_id: $user_id}) }
MERGE (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
  ON CREATE SET u.read_to = -1, u.created_at = $now
SET u.asked_at = $now
WITH u, u.holder AS holder, u.until AS until,
     u.holder IS NULL OR u.until < $now OR u.holder = $holder OR u.holder = $dead AS free
FOREACH (_ IN CASE WHEN free THEN [1] ELSE [] END | SET u.holder = $holder, u.until = $until)
RETURN free, holder, until, u.read_to AS read_to
