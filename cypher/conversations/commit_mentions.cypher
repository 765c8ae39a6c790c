// Commit the mentions and relations of one user's episodes, and mark the episodes as extracted. Safe to run twice.
// params: group_id, user_id, episode_ids, extractor, again, mentions [{id, own_id, episode_id, type, text, char_start, char_end}], relations [{id, own_id, episode_id, type, content, confidence, source, target}], now
// Episodes that are extracted already are skipped, unless `again` (imports).

// The write locks the episode: concurrent extractions of one episode take turns.
UNWIND $episode_ids AS episode_id
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
SET e.extractor = coalesce(e.extractor, $extractor)
WITH e WHERE $again OR e.extracted_at IS NULL
SET e.extracted_at = coalesce(e.extracted_at, $now)
WITH collect(e.episode_id) AS taken

// If the user has another mention or relation with the given id, own_id is used instead.
CALL (taken) {
  UNWIND $mentions AS row
  WITH row WHERE row.episode_id IN taken
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.episode_id})
  OPTIONAL MATCH (other:Mention {group_id: $group_id, user_id: $user_id, id: row.id})
  WITH row, e, other IS NULL AS free
  MERGE (m:Mention {group_id: $group_id, user_id: $user_id, session_id: e.session_id, turn: e.turn, type: row.type, text: row.text})
    ON CREATE SET m.id = CASE WHEN free THEN row.id ELSE row.own_id END, m.episode_id = e.episode_id,
      m.char_start = row.char_start, m.char_end = row.char_end, m.valid_at = e.valid_at, m.clock = e.clock, m.created_at = $now
    SET m.disused = null
  MERGE (m)-[in:MENTIONED_IN]->(e) ON CREATE SET in.group_id = $group_id, in.user_id = $user_id, in.created_at = $now,
      e.extracts = coalesce(toIntegerOrNull(e.extracts), 0) + 1
}
CALL (taken) {
  UNWIND $relations AS row
  WITH row WHERE row.episode_id IN taken
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.episode_id})
  MATCH (source:Mention {group_id: $group_id, user_id: $user_id, session_id: e.session_id, turn: row.source.turn, type: row.source.type, text: row.source.text})
  MATCH (target:Mention {group_id: $group_id, user_id: $user_id, session_id: e.session_id, turn: row.target.turn, type: row.target.type, text: row.target.text})
  OPTIONAL MATCH ()-[other:STATES {group_id: $group_id, user_id: $user_id, id: row.id}]->()
  WITH row, e, source, target, other IS NULL AS free
  MERGE (source)-[r:STATES {type: row.type, episode_id: e.episode_id}]->(target)
    ON CREATE SET r.id = CASE WHEN free THEN row.id ELSE row.own_id END, r.group_id = $group_id, r.user_id = $user_id,
      r.turn = e.turn, r.content = row.content, r.confidence = row.confidence,
      r.valid_at = e.valid_at, r.clock = e.clock, r.created_at = $now, e.extracts = coalesce(toIntegerOrNull(e.extracts), 0) + 1
}
RETURN taken
