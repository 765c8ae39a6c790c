// Turns and facts of a user whose scope tokens name another one: their user was changed by hand.
// params: group_id, user_id, token
CALL () {
  MATCH (n:Episode)
  WHERE n.group_id = $group_id AND n.user_id = $user_id AND n.clock IS NOT NULL
  RETURN n
  UNION ALL
  MATCH (n:Fact)
  WHERE n.group_id = $group_id AND n.user_id = $user_id AND n.fact_id IS NOT NULL
  RETURN n
}
WITH n WHERE NOT n.scope_text CONTAINS $token
// A node that another transaction deletes has no properties.
RETURN elementId(n) AS id, n.group_id AS group_id, n.user_id AS user_id, coalesce(n.session_id, '') AS session_id, coalesce(n.actor_id, '') AS actor_id, n:Episode AS is_turn
