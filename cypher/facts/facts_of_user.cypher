// How many facts a user has, and a page of them with the turns that state them, the latest first; of one status, subject or
// relation, or of all. What has ended by now is believed no longer.
// params: group_id, user_id, status, subject, relation, history, contradicted, after, limit
// contradicted: only facts that contradict another one that is believed, as long as nobody has decided between them.
// after: [said, fact_id] of the last fact of the page before; null for the first page.
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.status IN $status AND f.said IS NOT NULL
  AND ($history OR f.ends_at IS NULL OR f.ends_at > datetime())
  AND (NOT $contradicted OR f.flagged AND EXISTS {
    MATCH (f)-[c:CONTRADICTS]-(o:Fact) WHERE c.resolution = 'open' AND o.status = 'active'
  })
  AND ($subject IS NULL OR f.subject = $subject) AND ($relation IS NULL OR f.relation = $relation)
WITH f ORDER BY f.said DESC, f.fact_id
WITH collect(f) AS found
WITH size(found) AS total, [f IN found WHERE $after IS NULL OR f.said < $after[0] OR f.said = $after[0] AND f.fact_id > $after[1]] AS rest
RETURN total, COLLECT {
  UNWIND rest[..$limit] AS f
  RETURN {
    fact_id: f.fact_id, subject: f.subject, relation: f.relation, object: f.object, text: f.text, confidence: f.confidence,
    weight: f.weight, status: f.status, evidence_count: f.evidence_count, first_said: f.valid_at, last_said: f.last_updated,
    said: f.said, replaced_by: coalesce(f.replaced_by, ''),
    strength: coalesce(f.strength, 'plain'), ends_at: f.ends_at, archived_at: f.archived_at,
    retracted: f.status = 'archived' AND EXISTS { (f)-[:TAKEN_BACK_IN]->(:Episode) },
    episode_ids: COLLECT { MATCH (f)-[d:DERIVED_FROM]->(e:Episode) RETURN e.episode_id ORDER BY d.at }
  }
} AS facts
