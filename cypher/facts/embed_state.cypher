// How many facts and turns of a group wait for an embedding, and those that were given up with the reason.
// params: group_id, limit
RETURN COUNT { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_after >= 0 }
         + COUNT { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_after >= 0 } AS waiting,
       COUNT { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_error IS NOT NULL }
         + COUNT { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_error IS NOT NULL } AS failed,
       COLLECT {
         MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_error IS NOT NULL
         RETURN [f.user_id, f.text, f.embed_error] ORDER BY f.user_id, f.text LIMIT $limit
       } + COLLECT {
         MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_error IS NOT NULL
         RETURN [e.user_id, left(e.content, 200), e.embed_error] ORDER BY e.user_id, e.vector_id LIMIT $limit
       } AS reasons
