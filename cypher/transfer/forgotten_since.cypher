// The keys of what was forgotten since a moment: of users, sessions and turns, and of the group as a whole.
// params: group_id, group_key, since
CALL () {
  MATCH (t:ForgottenTurns)
  WHERE t.group_id = $group_id AND t.key IS NOT NULL AND t.forgotten_at > $since
  RETURN t.key AS key
  UNION
  MATCH (t:ForgottenTurns {group_id: '', key: $group_key})
  WHERE t.forgotten_at > $since
  RETURN t.key AS key
}
RETURN key
