// How many steps a run has.
// params: group_id, user_id, run_id
MATCH (s:FactStep)
WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.run_id = $run_id AND s.number IS NOT NULL
RETURN count(s) AS steps, count(CASE WHEN s.status = 'read' THEN 1 END) AS read
