// The turns of the given stretches of sessions, as far as they are in the scope.
// params: spans, group_id, user_id, session_ids, persons, since, until, as_of, ranges, known_at
// spans: [{session_id, first, last}], numbers of turns. since, until, as_of: seconds since 1970.
UNWIND $spans AS span
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = span.session_id AND e.turn >= span.first
  AND e.turn <= span.last
WITH DISTINCT e
WHERE
  // <include recall/scope turns>
RETURN collect([
  // <include recall/turns turn>
]) AS turns
