// How many facts of a user were stated last before a moment and are not pinned.
// params: group_id, user_id, before (epoch seconds)
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.fact_id IS NOT NULL AND f.said < $before AND NOT coalesce(f.pinned, false)
RETURN count(f) AS facts
