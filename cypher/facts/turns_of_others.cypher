// The given turns that state these relations, but of none of these subjects.
// params: vector_ids, group_id, user_id, subjects, relations, roles, two_sided, is_now
// With is_now, what was taken back since is not stated.
// roles: relations that name somebody ("sister"); such a one is stated of its object alone. two_sided: relations that are
// stated of both, such as a friendship.
UNWIND $vector_ids AS vector_id
MATCH (e:Episode {vector_id: vector_id})
WHERE e.group_id = $group_id AND e.user_id = $user_id
MATCH (e)<-[:DERIVED_FROM]-(f:Fact)
WHERE f.relation IN $relations OR f.relation IN $roles
WITH e, collect(CASE WHEN $is_now AND f.status = 'archived' AND EXISTS { (f)-[:TAKEN_BACK_IN]->(:Episode) } THEN []
                     WHEN f.relation IN $roles THEN [f.object] WHEN f.relation IN $two_sided THEN [f.subject, f.object]
                     ELSE [f.subject] END) AS stated
WHERE none(subjects IN stated WHERE any(subject IN subjects WHERE subject IN $subjects))
RETURN collect(e.vector_id) AS turns
