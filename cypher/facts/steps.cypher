// The steps of a run, in order.
// params: group_id, user_id, run_id, after
MATCH (s:FactStep)
WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.run_id = $run_id AND s.number > $after
RETURN s.number AS number, s.data AS data, s.status AS status, s.created_at AS made
ORDER BY s.number LIMIT 1
