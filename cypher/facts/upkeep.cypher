// Up to which turn a user's facts were read, up to which event seen, and who has the lease to read on.
// params: group_id, user_id
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
RETURN u.read_to AS read_to, coalesce(u.seen_to, -1) AS seen_to, u.holder AS holder, u.until AS until
