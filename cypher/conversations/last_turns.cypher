// The last turns of a session, the latest first, with the facts that were hints for them and are still believed, and the
// turns that were quoted as hints and may still be recalled.
// params: group_id, user_id, session_id, limit, quoted (subject and relation of a quoted turn)
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = $session_id AND e.turn IS NOT NULL
WITH e ORDER BY e.group_id DESC, e.user_id DESC, e.session_id DESC, e.turn DESC LIMIT $limit
RETURN e.episode_id AS episode_id, e.actor AS actor, e.content AS text, NOT coalesce(e.unrecalled, false) AS is_recalled,
       COLLECT {
         UNWIND range(0, size(coalesce(e.hinted, [])) - 1) AS place
         OPTIONAL MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: e.hinted[place]})
         WHERE f.status = 'active'
         OPTIONAL MATCH (said:Episode {group_id: $group_id, user_id: $user_id, episode_id: e.hinted[place]})
         WHERE said.unrecalled IS NULL
         WITH place, coalesce([f.subject, f.relation, f.object][0..f.said * 0 + 3], $quoted + said.content) AS hint
         WHERE hint IS NOT NULL
         RETURN hint ORDER BY place
       } AS hinted
