// The facts of a group in a canonical order, with the turns and events they rest on and what they are to one another.
// params: group_id
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
WITH f ORDER BY f.group_id, f.user_id, f.fact_id
RETURN f.user_id AS user_id, f.fact_id AS fact_id, f.status AS status, f.confidence AS confidence, f.weight AS weight,
       f.evidence_count AS evidence_count, f.category AS category, f.flagged AS flagged, f.pinned AS pinned,
       f.replaced_by AS replaced_by, f.last_updated.epochMillis AS last_updated, f.decayed_at.epochMillis AS decayed_at,
       COLLECT { MATCH (f)-[d:DERIVED_FROM]->(e:Episode) RETURN [e.episode_id, d.via, d.similarity] ORDER BY e.episode_id } AS turns,
       COLLECT { MATCH (f)-[:TAKEN_BACK_IN]->(e:Episode) RETURN e.episode_id ORDER BY e.episode_id } AS taken_back_in,
       COLLECT { MATCH (f)-[:DERIVED_FROM]->(e) WHERE e.video_id IS NOT NULL
                 RETURN [e.video_id, e.clip_id, e.ordinal] ORDER BY e.video_id, e.clip_id, e.ordinal } AS events,
       COLLECT { MATCH (f)-[r:CONTRADICTS|MERGED_INTO|DISTINCT_FROM]->(o:Fact)
                 RETURN [type(r), o.fact_id, r.resolution, r.evidence] ORDER BY type(r), o.fact_id } AS links
