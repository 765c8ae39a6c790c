// Write the notes, of an import, of what was forgotten. Notes that the group has are kept; if both have one, the later counts.
// params: group_id, rows: the properties of ForgottenFootage (with film and clip) or of ForgottenTurns (with key)
CALL () {
  UNWIND [row IN $rows WHERE row.film IS NOT NULL] AS row
  MERGE (f:ForgottenFootage {group_id: $group_id, film: row.film, clip: row.clip})
  SET f += CASE WHEN f.forgotten_at >= row.forgotten_at THEN {} ELSE row END
}
CALL () {
  UNWIND [row IN $rows WHERE row.key IS NOT NULL] AS row
  MERGE (t:ForgottenTurns {group_id: $group_id, key: row.key})
  SET t += CASE WHEN t.forgotten_at >= row.forgotten_at THEN {} ELSE row END
}
RETURN size($rows) AS written
