// Facts of a user by the beginning of their id, with the turns and events they rest on and what they are to other facts.
// params: group_id, user_id, prefix, limit
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.fact_id STARTS WITH $prefix
WITH f ORDER BY f.group_id, f.user_id, f.fact_id LIMIT $limit
RETURN f.fact_id AS fact_id, f.subject AS subject, f.relation AS relation, f.object AS object, f.text AS text,
       f.confidence AS confidence, f.weight AS weight, f.status AS status, f.evidence_count AS evidence_count,
       f.valid_at AS first_said, f.last_updated AS last_said, coalesce(f.replaced_by, '') AS replaced_by,
       coalesce(f.category, '') AS category, coalesce(f.pinned, false) AS pinned, coalesce(f.flagged, false) AS flagged,
       coalesce(f.language, '') AS language,
       coalesce(f.strength, 'plain') AS strength, f.ends_at AS ends_at, f.archived_at AS archived_at,
       f.status = 'archived' AND EXISTS { (f)-[:TAKEN_BACK_IN]->(:Episode) } AS retracted,
       COLLECT {
         MATCH (f)-[d:DERIVED_FROM]->(e:Episode)
         RETURN {episode_id: e.episode_id, actor: e.actor, text: e.content, at: e.valid_at, via: coalesce(d.via, ''),
                 similarity: d.similarity}
         ORDER BY e.valid_at
       } AS turns,
       COLLECT {
         MATCH (f)-[:DERIVED_FROM]->(e:Event)
         RETURN [e.node_id, e.video_id, e.time_start, e.time_end] ORDER BY e.node_id
       } AS events,
       COLLECT {
         MATCH (f)-[r:CONTRADICTS|MERGED_INTO|DISTINCT_FROM]-(o:Fact)
         RETURN {link: type(r), outward: startNode(r) = f, fact_id: o.fact_id, text: o.text, at: r.at,
                 resolution: coalesce(r.resolution, '')}
         ORDER BY r.at
       } AS links
