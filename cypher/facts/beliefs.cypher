// The facts that a user's memory believes, with their confidence and other numbers.
// params: group_id, user_id, model
// vector: the embedding of the fact's present text; null if it is not embedded yet.
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN ['active', 'pending_embed'] AND f.said IS NOT NULL
OPTIONAL MATCH (m:Embedding {kind: 'fact', owner: toString(f.vector_id), model: $model})
RETURN f.fact_id AS fact_id, f.subject AS subject, f.relation AS relation, f.object AS object, f.text AS text,
       f.confidence AS confidence, f.evidence_count AS evidence_count, coalesce(f.counted, 1) AS counted,
       f.last_updated AS last_updated, f.said AS said, f.decayed_at AS decayed_at, f.asked_at AS asked_at, coalesce(f.category, '') AS category,
       coalesce(f.language, '') AS language, f.status AS status, coalesce(f.flagged, false) AS flagged,
       coalesce(f.pinned, false) AS pinned, toString(f.updated) AS version, CASE WHEN f.embed_after IS NULL THEN m.data END AS vector
