// A user's turns that no run has read, in the order they were written, with their vectors and what was said before.
// params: group_id, user_id, after, limit, model
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.vector_id > $after AND e.unrecalled IS NULL
WITH e ORDER BY e.group_id, e.user_id, e.vector_id LIMIT $limit
// <turn>
OPTIONAL MATCH (m:Embedding {kind: 'episode', owner: toString(e.vector_id), model: $model})
RETURN e.vector_id AS number, e.episode_id AS episode_id, e.session_id AS session_id, e.actor AS actor,
       e.actor_id AS actor_id, e.content AS text, e.valid_at AS at, m.data AS vector,
       EXISTS { (e)<-[d:DERIVED_FROM]-(:Fact) WHERE d.via IS NULL AND d.similarity IS NULL } AS states,
       COLLECT {
         MATCH (b:Episode)
         WHERE b.group_id = $group_id AND b.user_id = $user_id AND b.session_id = e.session_id
           AND b.turn < e.turn AND b.turn >= e.turn - 8 AND b.actor_id = e.actor_id
         RETURN b.content ORDER BY b.turn
       } AS before,
       EXISTS {
         MATCH (b:Episode)
         WHERE b.group_id = $group_id AND b.user_id = $user_id AND b.session_id = e.session_id
           AND b.turn = e.turn - 1 AND b.actor_id <> e.actor_id
       } AS is_apart
// </turn>
ORDER BY number
