// Delete what the nightly runs over a user's facts noted.
// params: group_id, user_id
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
DELETE u
WITH 1 AS _
CALL () {
  MATCH (r:FactRun)
  WHERE r.group_id = $group_id AND r.user_id = $user_id AND r.run_id IS NOT NULL
  DELETE r
}
CALL () {
  MATCH (s:FactStep)
  WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.run_id IS NOT NULL AND s.number IS NOT NULL
  DELETE s
}
RETURN 1 AS done
