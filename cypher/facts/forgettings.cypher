// How often something of users was forgotten. Open processes compare it, and look again at what they hold where it changed.
// params: group_id, user_ids
// upkeep, group: when the node was made (milliseconds), so that one made anew differs; null where there is none.
UNWIND $user_ids AS user_id
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: user_id})
OPTIONAL MATCH (g:Group {group_id: $group_id})
RETURN user_id, u.created_at.epochMillis AS upkeep, coalesce(u.forgotten, 0) AS forgotten,
       g.created_at.epochMillis AS `group`, coalesce(g.rewritten, 0) AS rewritten
