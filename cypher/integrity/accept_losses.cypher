// Record what a group has lost for good.
// params: group_id, losses [text]
MATCH (g:Group {group_id: $group_id})
SET g.losses = coalesce(g.losses, []) + $losses
