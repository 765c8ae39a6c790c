// The speakers in a user's conversations, the people of the videos they are the same as, and the group's embedding model;
// also the next vector_id, and the earlier turns that the turns from `since` on are linked to.
// params: group_id, user_id, since (the first vector_id not yet read; null: nothing was read)
OPTIONAL MATCH (vectors:Counter {name: 'vector_id'})
OPTIONAL MATCH (own:Group {group_id: $group_id})
WITH coalesce(toIntegerOrNull(vectors.next), 0) AS next,
     // It differs, too, if the group was forgotten and written again.
     coalesce(own.created_at.epochMillis, 0) * 1000000 + coalesce(toIntegerOrNull(own.rewritten), 0) AS rewritten
RETURN next, rewritten,
  COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded,
  COLLECT {
    MATCH (p:Speaker)
    WHERE p.group_id = $group_id AND p.user_id = $user_id AND p.person_id IS NOT NULL
    RETURN p.person_id
  } AS people,
  COLLECT {
    MATCH (s:Speaker)-[link:SAME_AS]->(:Person)-[:MERGED_INTO*0..]->(seen:Person)
    WHERE s.group_id = $group_id AND s.user_id = $user_id AND s.person_id IS NOT NULL AND link.undone_at IS NULL
      AND seen.person_id <> s.person_id AND NOT EXISTS { (seen)-[:MERGED_INTO]->(:Person) }
    RETURN DISTINCT [s.person_id, seen.person_id]
  } AS same,
  // Beyond 1000 new turns, reading again what is needed is cheaper.
  CASE WHEN next - coalesce($since, next) <= 1000 THEN COLLECT {
    MATCH (e:Episode)-[:NEXT]-(o:Episode) USING INDEX e:Episode(vector_id)
    WHERE e.vector_id >= $since AND e.group_id = $group_id AND e.user_id = $user_id AND o.vector_id < $since
    RETURN DISTINCT o.vector_id
  } END AS touched
