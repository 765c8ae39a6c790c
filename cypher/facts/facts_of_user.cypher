// How many facts a user has, and a page of them with the turns and events that state them, the latest first; of some statuses, one subject
// or relation, or of all.
// params: group_id, user_id, status, subject, relation, history, contradicted, after, limit, as_of, known_at (recall/scope.cypher)
// history: also what is not believed, or was not by the moment. contradicted: only facts that contradict another one that is
// believed now, as long as nobody has decided between them.
// after: [said, fact_id] of the last fact of the page before; null for the first page.
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN $status AND f.said IS NOT NULL
  AND (NOT $contradicted OR f.flagged AND EXISTS {
    MATCH (f)-[c:CONTRADICTS]-(o:Fact) WHERE c.resolution = 'open' AND o.status = 'active'
  })
  AND ($subject IS NULL OR f.subject = $subject) AND ($relation IS NULL OR f.relation = $relation) AND ($history OR
  // <include recall/scope believed>
  )
WITH f, $as_of IS NULL AND $known_at IS NULL AS is_now, COLLECT {
  MATCH (f)-[d:DERIVED_FROM]->(e)
  WHERE ($as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of) AND ($known_at IS NULL OR e.created_at <= $known_at)
  RETURN {at: d.at, episode_id: e.episode_id, event: CASE WHEN e:Event THEN [e.node_id, e.video_id, e.time_start, e.time_end] END}
  ORDER BY d.at, e.node_id
} AS stated
WITH f, is_now, stated, CASE WHEN is_now THEN f.said ELSE coalesce(last(stated).at.epochMillis / 1000.0, f.said) END AS said
ORDER BY said DESC, f.fact_id
WITH collect({fact: f, is_now: is_now, stated: stated, said: said}) AS found
WITH size(found) AS total, [each IN found WHERE $after IS NULL OR each.said < $after[0]
                            OR each.said = $after[0] AND each.fact.fact_id > $after[1]] AS rest
RETURN total, COLLECT {
  UNWIND rest[..$limit] AS each
  WITH each.fact AS f, each.is_now AS is_now, each.stated AS stated, each.said AS said
  RETURN {
    fact_id: f.fact_id, subject: f.subject, relation: f.relation, object: f.object, text: f.text, confidence: f.confidence,
    weight: f.weight, status: CASE WHEN is_now THEN f.status ELSE 'active' END,
    evidence_count: CASE WHEN is_now THEN f.evidence_count ELSE size(stated) END, first_said: f.valid_at,
    last_said: CASE WHEN is_now THEN f.last_updated ELSE coalesce(last(stated).at, f.last_updated) END, said: said,
    replaced_by: CASE WHEN is_now THEN coalesce(f.replaced_by, '') ELSE '' END,
    strength: coalesce(f.strength, 'plain'), ends_at: f.ends_at, archived_at: CASE WHEN is_now THEN f.archived_at END,
    retracted: is_now AND f.status = 'archived' AND EXISTS { (f)-[:TAKEN_BACK_IN]->(:Episode) },
    episode_ids: [each IN stated WHERE each.episode_id IS NOT NULL | each.episode_id],
    events: [each IN stated WHERE each.event IS NOT NULL | each.event]
  }
} AS facts
