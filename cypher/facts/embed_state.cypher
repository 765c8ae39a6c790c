// How many facts of a group wait for an embedding, and those that were given up with the reason.
// params: group_id, limit
RETURN COUNT { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_after >= 0 } AS waiting,
       COUNT { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_error IS NOT NULL } AS failed,
       COLLECT {
         MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_error IS NOT NULL
         RETURN [f.user_id, f.text, f.embed_error] ORDER BY f.user_id, f.text LIMIT $limit
       } AS reasons
