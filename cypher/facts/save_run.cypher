// Write a run over a user's facts, or what has become of it.
// params: group_id, user_id, run_id, props, now
MERGE (r:FactRun {group_id: $group_id, user_id: $user_id, run_id: $run_id})
  ON CREATE SET r.created_at = $now
SET r += $props
