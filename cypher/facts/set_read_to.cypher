// Note up to which turn runs have read.
// params: group_id, user_id, read_to
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET u.read_to = $read_to
