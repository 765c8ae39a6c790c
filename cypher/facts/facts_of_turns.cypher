// Turns all of whose facts are no longer believed, because they were replaced or taken back.
// params: vector_ids, group_id, user_id
UNWIND $vector_ids AS vector_id
MATCH (e:Episode {vector_id: vector_id})
WHERE e.group_id = $group_id AND e.user_id = $user_id
MATCH (e)<-[:DERIVED_FROM]-(f:Fact)
WITH e, collect(f.status) AS statuses
WHERE all(status IN statuses WHERE status = 'archived')
RETURN collect(e.vector_id) AS outdated
