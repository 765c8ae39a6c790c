// The scopes in which the given people exist: empty for the group's own, a video_id for a description.
// params: group_id, persons
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id IN $persons
RETURN p.scope AS scope, p.person_id AS person_id ORDER BY scope, person_id
