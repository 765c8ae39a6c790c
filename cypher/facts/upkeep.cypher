// Up to which turn a user's facts were read, and who is at it.
// params: group_id, user_id
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
RETURN u.read_to AS read_to, u.holder AS holder, u.until AS until
