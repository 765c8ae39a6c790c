// The turns that the previous run left to be read by topic, with the columns of facts/new_turns.
// params: group_id, user_id, run_id, model
MATCH (r:FactRun)
WHERE r.group_id = $group_id AND r.user_id = $user_id AND r.run_id <> $run_id AND r.run_id IS NOT NULL
  AND r.status <> 'undone'
WITH r ORDER BY r.created_at DESC LIMIT 1
UNWIND r.gathered AS number
MATCH (e:Episode {vector_id: number})
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.unrecalled IS NULL
// <include facts/new_turns turn>
ORDER BY number
