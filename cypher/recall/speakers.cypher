// Everybody who talks in a user's conversations.
// params: group_id, user_id
MATCH (p:Speaker)
WHERE p.group_id = $group_id AND p.user_id = $user_id AND p.person_id IS NOT NULL
RETURN collect(p.person_id) AS people
