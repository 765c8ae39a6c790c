// The users of a group who have turns or facts.
// params: group_id
CALL () {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.user_id IS :: STRING AND e.episode_id IS NOT NULL
  RETURN DISTINCT e.user_id AS user_id
  UNION
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id <> '' AND f.user_id IS :: STRING AND f.fact_id IS NOT NULL
  RETURN DISTINCT f.user_id AS user_id
}
RETURN user_id ORDER BY user_id
