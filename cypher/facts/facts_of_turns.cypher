// Turns some of whose facts are no longer believed, or were not by a moment, because they were replaced or taken back.
// whole: whether this is so of all of them. over: those facts, as sentences.
// params: vector_ids, group_id, user_id, as_of, known_at (recall/scope.cypher)
UNWIND $vector_ids AS vector_id
MATCH (e:Episode {vector_id: vector_id})
WHERE e.group_id = $group_id AND e.user_id = $user_id
MATCH (e)<-[:DERIVED_FROM]-(f:Fact)
WITH e, f, f.status = 'archived' AND NOT (
  // <include recall/scope believed>
) AS is_over
WITH e, collect(CASE WHEN is_over THEN coalesce(f.text, f.object) END) AS over, count(f) AS stated
WHERE size(over) > 0
RETURN e.vector_id AS vector_id, size(over) = stated AS whole, over
