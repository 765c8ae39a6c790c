// Facts of talk that have lost every turn that they rested on. A correction by hand may rest on none. Facts that events
// show (session_id '') rest on none in a group into which a user was imported without the footage.
// params: group_id
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL AND f.evidence_count > 0 AND f.session_id <> ''
  AND NOT EXISTS { (f)-[:DERIVED_FROM]->() }
  AND NOT coalesce(f.pinned, false) AND NOT EXISTS { (f)-[:CONTRADICTS {resolution: 'hand'}]->() }
RETURN f.text AS text, f.user_id AS user_id, f.fact_id AS fact_id ORDER BY user_id, text
