// Link a speaker of a user's conversations to a person of the group's videos, but not to whom a video means by a split name.
// Safe to run twice.
// params: group_id, user_id, speaker, person, now
MATCH (p:Speaker {group_id: $group_id, user_id: $user_id, person_id: $speaker})
CALL (p) {
  MATCH (seen:Person) WHERE seen.group_id = p.group_id AND seen.person_id = $person AND seen.split IS NULL
  RETURN seen
}
MERGE (p)-[link:SAME_AS]->(seen)
  ON CREATE SET link.group_id = $group_id, link.created_at = $now
SET link.resolution = 'hand', link.undone_at = null
RETURN count(*) AS linked
