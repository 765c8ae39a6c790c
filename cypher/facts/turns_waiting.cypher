// Whether turns of a user have no embedding yet: they wait for one, or were given up.
// params: group_id, user_id
RETURN EXISTS { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_after >= 0 AND e.user_id = $user_id }
       OR EXISTS { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_error IS NOT NULL AND e.user_id = $user_id } AS waiting
