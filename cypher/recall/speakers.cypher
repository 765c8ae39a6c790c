// Everybody who talks in a user's conversations, and whom of the videos' people they are.
// params: group_id, user_id
RETURN COLLECT {
  MATCH (p:Speaker)
  WHERE p.group_id = $group_id AND p.user_id = $user_id AND p.person_id IS NOT NULL
  RETURN p.person_id
} AS people, COLLECT {
  MATCH (s:Speaker)-[tie:SAME_AS]->(:Person)-[:MERGED_INTO*0..]->(seen:Person)
  WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.person_id IS NOT NULL AND tie.undone_at IS NULL
    AND seen.person_id <> s.person_id AND NOT EXISTS { (seen)-[:MERGED_INTO]->(:Person) }
  RETURN DISTINCT [s.person_id, seen.person_id]
} AS same
