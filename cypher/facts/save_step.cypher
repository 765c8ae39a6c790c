// Write a step of a run: changes to make, or changes that were made.
// params: group_id, user_id, run_id, number, data, status, now
MERGE (s:FactStep {group_id: $group_id, user_id: $user_id, run_id: $run_id, number: $number})
  ON CREATE SET s.created_at = $now
SET s.data = $data, s.status = $status
