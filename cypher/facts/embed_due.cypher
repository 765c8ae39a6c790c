// Facts of a group that wait for an embedding and may be tried by now, those that wait longest first.
// params: group_id, now (seconds since 1970), limit
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.embed_after <= $now
RETURN f.user_id AS user_id, f.fact_id AS fact_id, coalesce(f.text, f.subject + ' ' + f.relation + ' ' + f.object) AS text,
       coalesce(f.embed_attempts, 0) AS attempts
ORDER BY f.embed_after, f.fact_id LIMIT $limit
