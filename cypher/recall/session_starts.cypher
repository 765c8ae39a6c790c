// When these sessions of a user began, in seconds since 1970.
// params: group_id, user_id, session_ids
UNWIND $session_ids AS session_id
CALL (session_id) {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = session_id AND e.turn IS NOT NULL
  RETURN e.clock AS clock ORDER BY e.group_id, e.user_id, e.session_id, e.turn LIMIT 1
}
RETURN collect([session_id, clock]) AS starts
