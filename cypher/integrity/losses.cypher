// What a group has lost for good and a repair has recorded.
// params: group_id
MATCH (g:Group {group_id: $group_id})
RETURN coalesce(g.losses, []) AS losses
