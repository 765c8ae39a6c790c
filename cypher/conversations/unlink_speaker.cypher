// Undo the link of a speaker to a person of the videos. It stays, marked as undone, so that an equal name does not restore it.
// params: group_id, user_id, speaker, person, now
MATCH (p:Speaker {group_id: $group_id, user_id: $user_id, person_id: $speaker})-[link:SAME_AS]->(seen:Person)
WHERE seen.group_id = $group_id AND seen.person_id = $person AND link.undone_at IS NULL
SET link.undone_at = $now
RETURN count(*) AS unlinked
