// Turns and facts that a user's scope token finds, though they name another user or group: that was changed by hand.
// params: group_id, user_id, token
UNWIND ['amr_episode_text', 'amr_fact_text'] AS index
CALL (index) {
  CALL db.index.fulltext.queryNodes(index, 'scope_text:"' + $token + '"') YIELD node
  RETURN node AS n
}
WITH n
WHERE n.group_id IS :: STRING NOT NULL AND n.user_id IS :: STRING NOT NULL
  AND (n.group_id <> $group_id OR n.user_id <> $user_id)
RETURN elementId(n) AS id, n.group_id AS group_id, n.user_id AS user_id, coalesce(n.session_id, '') AS session_id,
       coalesce(n.actor_id, '') AS actor_id, n:Episode AS is_turn
