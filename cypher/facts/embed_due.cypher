// Facts and turns of a group that wait for an embedding and may be tried by now, those that wait longest first.
// params: group_id, now (seconds since 1970), limit
CALL () {
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.embed_after <= $now
  RETURN f.user_id AS user_id, f.fact_id AS id, coalesce(f.text, f.subject + ' ' + f.relation + ' ' + f.object) AS text,
         coalesce(toIntegerOrNull(f.embed_attempts), 0) AS attempts, f.embed_after AS after, '' AS actor, '' AS shown, false AS is_turn
  ORDER BY after, id LIMIT $limit
  UNION ALL
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.embed_after <= $now
  RETURN e.user_id AS user_id, e.episode_id AS id, e.content AS text, coalesce(toIntegerOrNull(e.embed_attempts), 0) AS attempts,
         e.embed_after AS after, e.actor AS actor, e.shown AS shown, true AS is_turn
  ORDER BY after, id LIMIT $limit
}
RETURN user_id, id, text, attempts, actor, shown, is_turn ORDER BY after, id LIMIT $limit
