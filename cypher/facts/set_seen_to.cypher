// Note up to which event runs have looked.
// params: group_id, user_id, seen_to
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET u.seen_to = $seen_to
