// Whether a user of a group has turns or facts.
// params: group_id, user_id
RETURN EXISTS { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.episode_id IS NOT NULL }
       OR EXISTS { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.fact_id IS NOT NULL } AS known
