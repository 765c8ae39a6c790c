// Delete episodes with everything extracted from them, and relink the turns around the gaps. Safe to run twice.
// params: group_id, user_id, session_id, episode_ids, no_data, now
// session_id: null, or the session they must belong to. Their embeddings are kept but emptied, so that dense indexes notice.

// Locked first, as by every writer (commit_episodes). `rewritten` and `forgotten` invalidate caches of open processes.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
WITH seqs
OPTIONAL MATCH (g:Group {group_id: $group_id})
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1, u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1
WITH seqs
UNWIND $episode_ids AS episode_id
OPTIONAL MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
WHERE $session_id IS NULL OR e.session_id = $session_id
WITH seqs, collect(e) AS gone, collect(e.episode_id) AS gone_ids, collect(DISTINCT e.session_id) AS session_ids,
     collect(toStringOrNull(e.vector_id)) AS owners
WITH *, [e IN gone | [e.session_id, e.turn]] AS places

// Relations that the episodes state may link mentions of turns that stay.
CALL (gone_ids, session_ids) {
  UNWIND session_ids AS session_id
  MATCH (o:Episode)
  WHERE o.group_id = $group_id AND o.user_id = $user_id AND o.session_id = session_id AND o.turn IS NOT NULL
  MATCH (o)<-[:MENTIONED_IN]-(:Mention)-[r:STATES]->(:Mention)
  WHERE r.episode_id IN gone_ids
  WITH collect(DISTINCT r) AS stated
  FOREACH (r IN stated | DELETE r)
  RETURN size(stated) AS stated
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)<-[:MENTIONED_IN]-(m:Mention)
  WITH collect(DISTINCT m) AS mentions
  CALL (mentions) {
    UNWIND mentions AS m
    MATCH (m)-[r:STATES]-(:Mention)
    WITH DISTINCT r
    OPTIONAL MATCH (stating:Episode {group_id: $group_id, user_id: $user_id, episode_id: r.episode_id})
    SET stating.extracts = stating.extracts - 1
    RETURN count(r) AS loose
  }
  FOREACH (m IN mentions | DETACH DELETE m)
  RETURN size(mentions) AS mentions, loose
}
CALL (owners, seqs) {
  UNWIND owners AS owner
  MATCH (v:Embedding {kind: 'episode', owner: owner})
  WHERE v.model IS NOT NULL
  WITH collect(v) AS vectors
  WITH vectors, seqs.next AS first
  FOREACH (i IN range(0, size(vectors) - 1) |
    FOREACH (v IN [vectors[i]] | SET v.data = $no_data, v.seq = first + i, v.group_id = ''))
  SET seqs.next = first + size(vectors)
  RETURN size(vectors) AS vectors
}
// Facts that only these turns state are deleted too, and facts that those replaced, or that were merged into them, are
// believed again. Other turns that support a fact by its meaning, or through facts merged into it, do not state its
// words and so do not keep it; a fact that has no other turns is deleted with the last of them. A correction by hand,
// which no turn states, stays: it is pinned, or tied to what it corrected.
CALL (gone, seqs) {
  UNWIND gone AS e
  MATCH (e)<-[d:DERIVED_FROM]-(f:Fact)
  WITH gone, f, count(DISTINCT e) AS lost, max(e.clock) AS until, count(CASE WHEN d.via IS NULL AND d.similarity IS NULL THEN 1 END) AS unsaid
  WITH gone, f, lost, until,
       // <alone>
       COUNT { (f)-[d:DERIVED_FROM]->() WHERE d.via IS NULL AND d.similarity IS NULL } <= unsaid
       AND (unsaid > 0 OR COUNT { (f)-[:DERIVED_FROM]->() } <= lost AND NOT coalesce(f.pinned, false) AND NOT EXISTS { (f)-[:CONTRADICTS {resolution: 'hand'}]->() })
       // </alone>
       AS alone
  WITH f, lost, until, alone, head(COLLECT {
    MATCH (f)-[:DERIVED_FROM]->(stays:Episode) WHERE NOT stays IN gone RETURN stays ORDER BY stays.clock DESC LIMIT 1
  }) AS latest
  SET f.evidence_count = CASE WHEN f.evidence_count > lost THEN f.evidence_count - lost ELSE 0 END, f.updated = $now,
      // What was said later than these turns, as a correction by hand is, is not dated back.
      f.last_updated = CASE WHEN f.said > until THEN f.last_updated ELSE coalesce(latest.valid_at, f.last_updated) END,
      f.said = CASE WHEN f.said > until THEN f.said ELSE coalesce(latest.clock, f.said) END
  WITH collect(CASE WHEN alone THEN f END) AS facts
  WITH facts, [f IN facts WHERE f.vector_id IS NOT NULL | toStringOrNull(f.vector_id)] AS fact_owners
  // <include facts/forget_vectors blank>
  CALL (facts) {
    UNWIND facts AS f
    MATCH (f)<-[:MERGED_INTO]-(old:Fact)
    WHERE old.status = 'merged_into' AND NOT old IN facts
    SET old.status = 'active', old.archived_at = null, old.updated = $now
  }
  CALL (facts) {
    UNWIND facts AS f
    MATCH (f)-[:CONTRADICTS]->(old:Fact)
    WHERE old.status = 'archived' AND old.replaced_by = f.object AND NOT old IN facts
    SET old.status = 'active', old.archived_at = null, old.replaced_by = null, old.updated = $now
    RETURN collect(DISTINCT {subject: old.subject, relation: old.relation}) AS slots
  }
  // <include facts/forget_facts unname>
  FOREACH (f IN facts | DETACH DELETE f)
  RETURN size(facts) AS facts, slots AS replaced
}
// Facts that only these turns took back are believed again.
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)<-[:TAKEN_BACK_IN]-(f:Fact)
  WHERE f.status = 'archived' AND f.replaced_by IS NULL AND NOT EXISTS {
    MATCH (f)-[:TAKEN_BACK_IN]->(stays:Episode) WHERE NOT stays IN gone
  }
  SET f.status = 'active', f.archived_at = null, f.updated = $now
  RETURN collect(DISTINCT {subject: f.subject, relation: f.relation}) AS given_back
}
CALL (gone) {
  UNWIND gone AS e
  OPTIONAL MATCH (e)-[:SAID_BY]->(p:Speaker)
  WITH collect(DISTINCT p) AS speakers, collect(DISTINCT e) AS episodes
  FOREACH (e IN episodes | DETACH DELETE e)
  WITH speakers, size(episodes) AS episodes
  CALL (speakers) {
    UNWIND speakers AS p
    WITH p WHERE NOT EXISTS { (p)<-[:SAID_BY]-(:Episode) }
    DETACH DELETE p
  }
  RETURN episodes
}

// NEXT: from the turn before each gap to the turn after it.
CALL (places) {
  UNWIND places AS place
  CALL (place) {
    MATCH (before:Episode)
    WHERE before.group_id = $group_id AND before.user_id = $user_id AND before.session_id = place[0] AND before.turn < place[1]
    RETURN before ORDER BY before.group_id DESC, before.user_id DESC, before.session_id DESC, before.turn DESC LIMIT 1
  }
  CALL (place) {
    MATCH (after:Episode)
    WHERE after.group_id = $group_id AND after.user_id = $user_id AND after.session_id = place[0] AND after.turn > place[1]
    RETURN after ORDER BY after.group_id, after.user_id, after.session_id, after.turn LIMIT 1
  }
  WITH DISTINCT before, after
  MERGE (before)-[n:NEXT]->(after) ON CREATE SET n.group_id = $group_id, n.created_at = $now
}
CALL (session_ids) {
  UNWIND session_ids AS session_id
  MATCH (s:Session {group_id: $group_id, user_id: $user_id, session_id: session_id})
  WHERE NOT EXISTS {
    MATCH (e:Episode)
    WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = session_id AND e.turn IS NOT NULL
  }
  DETACH DELETE s
  RETURN count(*) AS sessions
}
RETURN episodes, mentions, stated + loose AS relations, vectors, sessions, facts, replaced + given_back AS slots
