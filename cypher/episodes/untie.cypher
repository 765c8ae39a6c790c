// Take back that a speaker is a person of the videos; the tie stays as undone, so that a name alone ties it no more.
// params: group_id, user_id, speaker, person, now
MATCH (p:Speaker {group_id: $group_id, user_id: $user_id, person_id: $speaker})-[tie:SAME_AS]->(seen:Person)
WHERE seen.group_id = $group_id AND seen.person_id = $person AND tie.undone_at IS NULL
SET tie.undone_at = $now
RETURN count(*) AS untied
