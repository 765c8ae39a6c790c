// A page of the relations of a user in order, or of one session if session_id is not null, with both mentions; and how many
// there are. One row without a relation if none is on the page; no row if there is none at all.
// params: group_id, user_id, session_id, spans, as_of (seconds since 1970; infinite if unbounded), known_at, start, limit
// spans: [{session_id, since, until}], turns; null for all.
MATCH (m:Mention)
WHERE m.group_id = $group_id AND m.user_id = $user_id AND m.session_id >= coalesce($session_id, '')
  AND m.turn IS NOT NULL AND ($session_id IS NULL OR m.session_id = $session_id)
MATCH (m)-[r:STATES]->(n)
// Turns may come out of order, so a mention may be later than the turn that states something of it.
WHERE ($spans IS NULL OR any(span IN $spans WHERE span.session_id = m.session_id AND span.since <= r.turn <= span.until))
  AND r.clock <= $as_of AND m.clock <= $as_of AND n.clock <= $as_of
  AND ($known_at IS NULL OR (r.created_at <= $known_at AND m.created_at <= $known_at AND n.created_at <= $known_at))
WITH m, r, n ORDER BY m.session_id, r.turn, r.id
WITH collect({source: m, relation: r, target: n}) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS row RETURN row SKIP $start LIMIT $limit }
WITH row.relation AS r, row.source AS m, row.target AS n, total
RETURN r{.*} AS relation, m{.*} AS source, n{.*} AS target, total
ORDER BY m.session_id, r.turn, r.id
