// The keys of what was forgotten since a moment: of users, sessions, turns and facts, of footage, and of the group as a whole.
// params: group_id, group_keys, since
CALL () {
  MATCH (t:ForgottenTurns)
  WHERE t.group_id = $group_id AND t.key IS NOT NULL AND t.forgotten_at > $since
  RETURN t.key AS key
  UNION
  MATCH (t:ForgottenTurns)
  WHERE t.group_id = '' AND t.key IN $group_keys AND t.forgotten_at > $since
  RETURN t.key AS key
}
RETURN key
