// The facts that a user's memory believes and the candidates, the latest first.
// opposed: the facts that contradict one, as long as nobody has decided between them.
// params: group_id, user_id, limit
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN ['active', 'candidate'] AND f.said IS NOT NULL
RETURN f.subject AS subject, f.relation AS relation, f.object AS object, f.text AS text, f.weight AS weight, f.said AS said,
       f.session_id AS session_id, f.language AS language, f.status AS status, coalesce(f.pinned, false) AS pinned,
       coalesce(f.strength, 'plain') AS strength, f.ends_at.epochMillis / 1000.0 AS ends,
       f.confidence AS confidence,
       // <opposed>
       CASE WHEN f.flagged THEN COLLECT {
         MATCH (f)-[c:CONTRADICTS]-(o:Fact) WHERE c.resolution = 'open' AND o.status = 'active'
         RETURN [o.subject, o.relation, o.object] ORDER BY o.fact_id
       } ELSE [] END AS opposed
       // </opposed>
ORDER BY f.said DESC LIMIT $limit
