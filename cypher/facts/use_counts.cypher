// The counts of what replies in live conversations made of a user's memory.
// params: group_id, user_id
MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
WHERE u.answered IS NOT NULL
RETURN u.answered AS answered, u.used AS used, u.streamed AS streamed, u.streamed_used AS streamed_used, u.shown AS shown,
       u.repeated AS repeated, u.searched AS searched, u.search_helped AS search_helped
