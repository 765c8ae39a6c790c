// Add to the counts of what replies in live conversations made of a user's memory. A user without turns has none.
// params: group_id, user_id, counts, now
WITH 1 AS _
WHERE EXISTS { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.episode_id IS NOT NULL }
MERGE (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
  ON CREATE SET u.read_to = -1, u.created_at = $now
SET u.answered = coalesce(u.answered, 0) + $counts.answered,
    u.used = coalesce(u.used, 0) + $counts.used,
    u.streamed = coalesce(u.streamed, 0) + $counts.streamed,
    u.streamed_used = coalesce(u.streamed_used, 0) + $counts.streamed_used,
    u.shown = coalesce(u.shown, 0) + $counts.shown,
    u.repeated = coalesce(u.repeated, 0) + $counts.repeated,
    u.searched = coalesce(u.searched, 0) + $counts.searched,
    u.search_helped = coalesce(u.search_helped, 0) + $counts.search_helped
