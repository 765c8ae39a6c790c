// The next episodes of a user, or of one session, that are not extracted yet, in order.
// params: group_id, user_id, session_id, again, after_session, after_turn, limit
// again: those that rules have read, instead
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id >= coalesce($session_id, $after_session)
  AND e.turn IS NOT NULL AND ($session_id IS NULL OR e.session_id = $session_id)
  AND CASE WHEN $again THEN e.extractor STARTS WITH 'rules ' ELSE e.extracted_at IS NULL END
  AND (e.session_id > $after_session OR (e.session_id = $after_session AND e.turn > $after_turn))
WITH e ORDER BY e.session_id, e.turn LIMIT $limit
RETURN e.episode_id AS episode_id, e.session_id AS session_id, e.turn AS turn
ORDER BY session_id, turn
