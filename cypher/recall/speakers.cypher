// Everybody who talks in a user's conversations, and whom of the videos' people they are; what embedded the group; and how
// far its turns go, with the earlier ones that those from a number on are tied to.
// params: group_id, user_id, since (the number of the first turn that was not seen, null for none)
OPTIONAL MATCH (vectors:Counter {name: 'vector_id'})
OPTIONAL MATCH (own:Group {group_id: $group_id})
WITH coalesce(vectors.next, 0) AS next, coalesce(own.rewritten, 0) AS rewritten
RETURN next, rewritten,
  COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded,
  COLLECT {
    MATCH (p:Speaker)
    WHERE p.group_id = $group_id AND p.user_id = $user_id AND p.person_id IS NOT NULL
    RETURN p.person_id
  } AS people,
  COLLECT {
    MATCH (s:Speaker)-[tie:SAME_AS]->(:Person)-[:MERGED_INTO*0..]->(seen:Person)
    WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.person_id IS NOT NULL AND tie.undone_at IS NULL
      AND seen.person_id <> s.person_id AND NOT EXISTS { (seen)-[:MERGED_INTO]->(:Person) }
    RETURN DISTINCT [s.person_id, seen.person_id]
  } AS same,
  // Of many it is cheaper to read anew what is needed of them.
  CASE WHEN next - coalesce($since, next) <= 1000 THEN COLLECT {
    MATCH (e:Episode)-[:NEXT]-(o:Episode) USING INDEX e:Episode(vector_id)
    WHERE e.vector_id >= $since AND e.group_id = $group_id AND e.user_id = $user_id AND o.vector_id < $since
    RETURN DISTINCT o.vector_id
  } END AS touched
