// The subjects of a user's facts that are names of several words, and whose first or last word is one of these.
// params: group_id, user_id, parts
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject CONTAINS ' ' AND f.relation IS NOT NULL
  AND any(part IN $parts WHERE f.subject STARTS WITH part + ' ' OR f.subject ENDS WITH ' ' + part)
RETURN collect(DISTINCT f.subject) AS names
