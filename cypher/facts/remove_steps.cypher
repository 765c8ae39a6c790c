// Delete steps of runs: those that were planned and not begun, or all.
// params: group_id, user_id, run_ids, status
// status: of the steps to delete, or null for all.
UNWIND $run_ids AS run_id
MATCH (s:FactStep)
WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.run_id = run_id AND s.number IS NOT NULL
  AND ($status IS NULL OR s.status = $status)
DELETE s
