// Give the lease back.
// params: group_id, user_id, holder
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
WHERE u.holder = $holder
SET u.holder = null, u.until = null
