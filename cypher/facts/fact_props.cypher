// Properties of some facts as they are.
// params: group_id, user_id, fact_ids
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
RETURN f.fact_id AS fact_id, f.text AS text, toString(f.updated) AS version, f.confidence AS confidence,
       f.evidence_count AS evidence_count, f.counted AS counted, f.last_updated AS last_updated,
       f.decayed_at AS decayed_at, f.status AS status, f.flagged AS flagged, f.category AS category, f.weight AS weight,
       f.said AS said, f.valid_at AS valid_at, f.archived_at AS archived_at, f.pinned AS pinned
