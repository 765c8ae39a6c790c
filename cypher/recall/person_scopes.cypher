// Where these people are known: empty for the group's own, a video for a description.
// params: group_id, persons
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id IN $persons
RETURN p.scope AS scope, p.person_id AS person_id ORDER BY scope, person_id
