// Add to the counts of what replies in live conversations made of a user's memory. A user without turns has none.
// params: group_id, user_id, counts, facts [{fact_id, at, asked, turn}], now
// facts: those that were shown, with the turn for which they were injected and whether they were asked for. Runs keep
// facts that are asked for from fading. `updated` stays, as nothing that is believed has changed.
WITH 1 AS _
WHERE EXISTS { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.episode_id IS NOT NULL }
MERGE (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
  ON CREATE SET u.read_to = -1, u.created_at = $now
SET u.answered = coalesce(toIntegerOrNull(u.answered), 0) + coalesce($counts.answered, 0),
    u.used = coalesce(toIntegerOrNull(u.used), 0) + coalesce($counts.used, 0),
    u.streamed = coalesce(toIntegerOrNull(u.streamed), 0) + coalesce($counts.streamed, 0),
    u.streamed_used = coalesce(toIntegerOrNull(u.streamed_used), 0) + coalesce($counts.streamed_used, 0),
    u.shown = coalesce(toIntegerOrNull(u.shown), 0) + coalesce($counts.shown, 0),
    u.repeated = coalesce(toIntegerOrNull(u.repeated), 0) + coalesce($counts.repeated, 0),
    u.searched = coalesce(toIntegerOrNull(u.searched), 0) + coalesce($counts.searched, 0),
    u.search_helped = coalesce(toIntegerOrNull(u.search_helped), 0) + coalesce($counts.search_helped, 0)
WITH 1 AS _
CALL () {
  UNWIND $facts AS row
  MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.fact_id})
  SET f.asked_at = CASE WHEN row.asked THEN row.at ELSE f.asked_at END,
      f.injected_in = CASE WHEN row.turn <> '' THEN row.turn ELSE f.injected_in END,
      f.injected_at = CASE WHEN row.turn <> '' THEN row.at ELSE f.injected_at END
}
