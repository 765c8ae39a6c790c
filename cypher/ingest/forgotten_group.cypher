// When a group was last forgotten as a whole.
// params: key
MATCH (t:ForgottenTurns {group_id: '', key: $key})
WHERE t.forgotten_at IS NOT NULL
RETURN t.forgotten_at AS forgotten_at
