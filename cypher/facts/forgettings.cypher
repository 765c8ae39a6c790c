// How often something of users was forgotten. Open processes compare it, and read again what they hold of a user whose
// counter changed.
// params: group_id, user_ids
// upkeep, group: when the node was made (milliseconds); null if there is none. A node that was deleted and made again
// counts from 0, so that its count alone could look unchanged.
UNWIND $user_ids AS user_id
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: user_id})
OPTIONAL MATCH (g:Group {group_id: $group_id})
RETURN user_id, u.created_at.epochMillis AS upkeep, coalesce(toIntegerOrNull(u.forgotten), 0) AS forgotten,
       g.created_at.epochMillis AS `group`, coalesce(toIntegerOrNull(g.rewritten), 0) AS rewritten
