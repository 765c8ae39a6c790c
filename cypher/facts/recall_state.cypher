// Before a dense index catches up: the number that the next embedded fact gets, and whether facts of a user wait for one.
// params: group_id, user_id
OPTIONAL MATCH (k:Counter {name: 'fact_vector_id'})
RETURN coalesce(toIntegerOrNull(k.next), 0) AS next,
       EXISTS { MATCH (w:Fact) WHERE w.group_id = $group_id AND w.embed_after >= 0 AND w.user_id = $user_id }
       OR EXISTS { MATCH (w:Fact) WHERE w.group_id = $group_id AND w.embed_error IS NOT NULL AND w.user_id = $user_id } AS waiting
