// Believe what episodes state and take back, in the order of the rows. Runs in the transaction that wrote the episodes.
// params: group_id, user_id, rows, reinforcement, now
// rows: [{number, episode_id, fact_id, subject, relation, object, text, language, said, confidence, retracted, forgotten, single,
//   detail, strength, ends, live, session_id, scope_text}]
// strength: how firmly it was said (domain/fact.py): passing, beside or plain.
// ends: when it stops being true, or has stopped if it is taken back, in seconds; or null.
// A fact said in passing twice counts as said plainly. single: the relation has one value at a time.
// detail: the relation that tells more of the object and is over with it (relations.yaml), or null.
// live: the row counts as said after all facts that are there.
// A fact dated more than a day ahead of now got its date from a wrong clock, and counts as said before any row.
// A fact that was forgotten after it was said is not written. Facts of a single-valued relation: see settle_slots.
WITH $now.epochSeconds + 86400 AS soon
UNWIND $rows AS row
WITH soon, row ORDER BY row.number
CALL (row, soon) {
  OPTIONAL MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = row.subject AND f.relation = row.relation
    AND row.live AND (row.single OR row.retracted OR f.fact_id = row.fact_id) AND f.said >= row.said AND f.said <= soon
  WITH row, max(f.said) AS latest
  RETURN coalesce(latest + 0.001, row.said) AS said
}
CALL (row, said, soon) {
  WITH row, said, soon WHERE NOT row.retracted
  OPTIONAL MATCH (gone:ForgottenFact {group_id: $group_id, user_id: $user_id, fact_id: row.fact_id})
  WITH row, said, soon, gone WHERE gone IS NULL OR gone.said < row.said OR gone.said > soon
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.episode_id})
  MERGE (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.fact_id})
    ON CREATE SET f.subject = row.subject, f.relation = row.relation, f.object = row.object, f.weight = 0.0,
                  f.evidence_count = 0, f.said = said, f.valid_at = e.valid_at, f.created_at = $now, f.confidence = row.confidence,
                  f.embed_after = 0.0
  WITH row, said, e, f, said >= f.said OR f.said > soon AS is_later
  SET f.strength = CASE WHEN row.strength = 'plain' OR f.status = 'active' AND f.strength = 'plain' THEN 'plain'
                     WHEN row.strength = 'passing' AND f.strength = 'passing' AND f.status IN ['active', 'candidate'] THEN 'plain'
                     ELSE row.strength END,
      f.ends_at = CASE WHEN NOT is_later THEN f.ends_at
                    WHEN row.ends IS NOT NULL THEN datetime({epochMillis: toInteger(row.ends * 1000)}) END,
      f.weight = CASE WHEN f.evidence_count = 0 THEN row.confidence ELSE f.weight + $reinforcement * (1 - f.weight) END,
      f.evidence_count = f.evidence_count + 1,
      // If its words changed, it is embedded again (embed_due).
      f.embed_after = CASE WHEN is_later AND f.text IS NOT NULL AND f.text <> row.text THEN 0.0 ELSE f.embed_after END,
      f.embed_error = CASE WHEN f.text <> row.text THEN null ELSE f.embed_error END,
      f.text = CASE WHEN is_later THEN row.text ELSE f.text END,
      f.language = CASE WHEN is_later THEN row.language ELSE f.language END,
      f.session_id = CASE WHEN is_later THEN row.session_id ELSE f.session_id END,
      f.valid_at = CASE WHEN e.valid_at < f.valid_at THEN e.valid_at ELSE f.valid_at END,
      f.last_updated = CASE WHEN f.last_updated IS NULL OR is_later THEN e.valid_at ELSE f.last_updated END,
      f.status = CASE WHEN f.status IS NULL OR is_later THEN 'active' ELSE f.status END,
      f.archived_at = CASE WHEN f.status = 'active' THEN null ELSE f.archived_at END,
      f.replaced_by = CASE WHEN f.status = 'active' THEN null ELSE f.replaced_by END,
      f.said = CASE WHEN is_later THEN said ELSE f.said END,
      f.scope_text = row.scope_text, f.updated = $now
  MERGE (f)-[d:DERIVED_FROM]->(e)
    ON CREATE SET d.group_id = $group_id, d.at = e.valid_at, d.created_at = $now
    // A turn that a run took for support by its meaning, or through a merged fact, is now known to state the fact.
    ON MATCH SET d.similarity = null, d.via = null, d.run_id = null
  RETURN count(*) AS stated
}
// A wish to forget: neither the turn itself nor those that stated what it takes back are recalled any more. `rewritten`
// and `forgotten` tell open processes that have them in a cache.
CALL (row, said, soon) {
  WITH row, said, soon WHERE row.forgotten
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.episode_id})
  OPTIONAL MATCH (g:Group {group_id: $group_id})
  OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
  SET e.unrecalled = true, g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1,
    u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1
  WITH row, said, soon
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = row.subject AND f.relation = row.relation
    AND (f.said <= said OR f.said > soon) AND row.object IN ['', f.object]
  MATCH (f)-[:DERIVED_FROM]->(stating:Episode)
  SET stating.unrecalled = true
  RETURN count(*) AS unrecalled
}
CALL (row, said, soon) {
  WITH row, said, soon WHERE row.retracted
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = row.subject AND f.relation = row.relation
    AND (f.said <= said OR f.said > soon) AND (f.status IN ['active', 'candidate']
      // A fact taken back by several turns stays taken back if one of these turns is forgotten.
      OR row.object IN ['', f.object] AND EXISTS { (f)-[:TAKEN_BACK_IN]->(:Episode) })
  WITH row, collect(f) AS earlier
  // As domain.fact.meant: the same object, or the only longer name of it; if the relation has one value, also a shorter
  // name.
  WITH [f IN earlier WHERE row.object IN ['', f.object]] AS same, [f IN earlier WHERE row.object <> '' AND (
         f.object STARTS WITH row.object + ' ' OR f.object ENDS WITH ' ' + row.object
         OR row.single AND (row.object STARTS WITH f.object + ' ' OR row.object ENDS WITH ' ' + f.object))] AS near, row
  UNWIND CASE WHEN size(same) > 0 THEN same WHEN size(near) = 1 THEN near ELSE [] END AS f
  WITH row, said, f, f.status = 'active' AS was_believed WHERE NOT coalesce(f.pinned, false)
  SET f.status = 'archived', f.updated = $now,
      f.archived_at = coalesce(f.archived_at, datetime({epochMillis: toInteger(coalesce(row.ends, row.said) * 1000)}))
  WITH row, said, f, was_believed
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: row.episode_id})
  MERGE (f)-[t:TAKEN_BACK_IN]->(e) ON CREATE SET t.group_id = $group_id, t.at = e.valid_at, t.created_at = $now
  WITH row, said, f, e, was_believed
  CALL (row, said, f, e, was_believed) {
    WITH * WHERE was_believed AND row.detail IS NOT NULL
    MATCH (d:Fact)
    WHERE d.group_id = $group_id AND d.user_id = $user_id AND d.subject = row.subject AND d.relation = row.detail
      AND d.said < said AND d.status IN ['active', 'candidate'] AND NOT coalesce(d.pinned, false)
      AND NOT EXISTS { (d)-[:DERIVED_FROM]->(e) }
    SET d.status = 'archived', d.updated = $now, d.archived_at = f.archived_at
    MERGE (d)-[t:TAKEN_BACK_IN]->(e) ON CREATE SET t.group_id = $group_id, t.at = e.valid_at, t.created_at = $now
    RETURN count(*) AS details
  }
  RETURN count(*) AS taken_back
}
RETURN sum(stated) AS stated, sum(taken_back) AS taken_back
