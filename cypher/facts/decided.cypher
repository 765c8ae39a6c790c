// What earlier runs and people decided on pairs of facts: contradictions, what is distinct, what was merged before.
// params: group_id, user_id
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN ['active', 'pending_embed'] AND f.said IS NOT NULL
MATCH (f)-[r:CONTRADICTS|DISTINCT_FROM|MERGED_INTO]->(o:Fact)
RETURN f.fact_id AS source, type(r) AS link, o.fact_id AS target, r.resolution AS resolution, r.evidence AS evidence
