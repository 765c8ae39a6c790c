// Commit episodes of one user with their embeddings and NEXT edges. Safe to run twice.
// params: group {group_id, props}, user_id, model, dim, episodes [{number, episode_id, session_id, turn, props, valid_at, vector, plain_text, accepted_ms, forgotten_keys}], now
// accepted_ms: when the turn was taken in, in milliseconds. If it was forgotten since, under one of forgotten_keys, it is not
// committed (forgetting/note_forgotten).
// valid_at: ISO 8601. vector: null for an episode that is embedded later (facts/embed_due). Existing episodes are not
// changed. Nothing is written if the group has another embedding model.

// Every writer locks this counter first and holds it until the commit: ids are gapless and writers never deadlock.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
MERGE (vectors:Counter {name: 'vector_id'}) ON CREATE SET vectors.next = 0
// Numbers are drawn above those in the graph, even if a counter was set back.
// <turn_ids>
SET vectors.next = coalesce(toIntegerOrNull(vectors.next), 0)
SET vectors.next = reduce(next = vectors.next, used IN COLLECT {
      MATCH (e:Episode) WHERE e.vector_id >= vectors.next RETURN e.vector_id ORDER BY e.vector_id DESC LIMIT 1
    } + COLLECT {
      // An id of something forgotten is not given again: its embedding is still there. Only if one of the next ids is taken,
      // all embeddings are read.
      UNWIND range(vectors.next, vectors.next + 9) AS id
      MATCH (m:Embedding {kind: 'episode', owner: toString(id)}) WHERE m.model IS NOT NULL
      WITH count(m) AS taken WHERE taken > 0
      MATCH (m:Embedding) WHERE m.kind = 'episode' AND m.owner IS NOT NULL AND m.model IS NOT NULL
      RETURN max(toIntegerOrNull(m.owner)) AS used
    } | CASE WHEN used >= next THEN used + 1 ELSE next END)
// </turn_ids>
// <turn_seqs>
SET seqs.next = reduce(next = seqs.next, used IN COLLECT {
      MATCH (m:Embedding) WHERE m.kind = 'episode' AND m.model = $model AND m.seq >= seqs.next
      RETURN m.seq ORDER BY m.kind DESC, m.model DESC, m.seq DESC LIMIT 1
    } | used + 1)
// </turn_seqs>
WITH seqs, vectors
OPTIONAL MATCH (g:Group {group_id: $group.group_id})
WITH seqs, vectors, g, g IS NULL OR g.embedding_model = $model AND g.embedding_dim = $dim AS fits

UNWIND $episodes AS row
OPTIONAL MATCH (known:Episode {group_id: $group.group_id, user_id: $user_id, episode_id: row.episode_id})
OPTIONAL MATCH (placed:Episode {group_id: $group.group_id, user_id: $user_id, session_id: row.session_id, turn: row.turn})
WITH seqs, vectors, g, fits, row, known, collect(placed)[0] AS placed
WITH *, EXISTS {
       UNWIND row.forgotten_keys AS key
       MATCH (gone:ForgottenTurns)
       WHERE gone.group_id IN [$group.group_id, ''] AND gone.key = key AND gone.forgotten_at.epochMillis > row.accepted_ms
     } AS forgotten ORDER BY row.number
WITH seqs, vectors, g, fits, collect({row: row, sha: known.content_sha256, content: left(known.content, 200), session_id: known.session_id, intake_id: known.intake_id, forgotten: forgotten,
     taken: CASE WHEN known IS NULL THEN placed.episode_id END}) AS found
WITH seqs, vectors, g, fits, found,
     CASE WHEN fits THEN [f IN found WHERE f.sha IS NULL AND f.taken IS NULL AND NOT f.forgotten | f.row] ELSE [] END AS fresh
WITH g, fits, found, fresh, vectors.next AS first_id, seqs.next AS first_seq, vectors, seqs
SET vectors.next = first_id + size(fresh), seqs.next = first_seq + size(fresh)
// Only now, since turns of a forgotten group do not bring it back.
FOREACH (_ IN CASE WHEN g IS NULL AND size(fresh) > 0 THEN [1] ELSE [] END |
  MERGE (made:Group {group_id: $group.group_id}) ON CREATE SET made += $group.props, made.created_at = $now)

// An episode without a turn number is appended to its session, in the order of this call.
WITH fits, found, fresh, first_id, first_seq, g
CALL (fresh) {
  UNWIND fresh AS row
  WITH row.session_id AS session_id, max(row.turn) AS last, count(*) - count(row.turn) AS placeless
  MERGE (s:Session {group_id: $group.group_id, user_id: $user_id, session_id: session_id})
    ON CREATE SET s.next_turn = 0, s.created_at = $now
  SET s.next_turn = reduce(next = s.next_turn, used IN COLLECT {
        MATCH (e:Episode)
        WHERE e.group_id = $group.group_id AND e.user_id = $user_id AND e.session_id = session_id AND e.turn >= s.next_turn
        RETURN e.turn ORDER BY e.group_id DESC, e.user_id DESC, e.session_id DESC, e.turn DESC LIMIT 1
      } | used + 1)
  SET s.first_placeless = CASE WHEN last >= s.next_turn THEN last + 1 ELSE s.next_turn END
  SET s.next_turn = s.first_placeless + placeless
}
CALL (fresh, first_id, first_seq) {
  UNWIND range(0, size(fresh) - 1) AS i
  WITH fresh[i] AS row, first_id + i AS vector_id, first_seq + i AS seq, i
  MATCH (s:Session {group_id: $group.group_id, user_id: $user_id, session_id: row.session_id})
  WITH row, vector_id, seq, coalesce(row.turn, s.first_placeless + CASE WHEN row.turn IS NULL
         THEN size([other IN fresh[..i] WHERE other.session_id = row.session_id AND other.turn IS NULL]) END) AS turn
  MERGE (e:Episode {group_id: $group.group_id, user_id: $user_id, episode_id: row.episode_id})
  SET e += row.props, e.valid_at = datetime(row.valid_at), e.vector_id = vector_id, e.session_id = row.session_id, e.turn = turn, e.created_at = $now,
      e.turn_id = CASE WHEN row.props.turn_id = '' THEN 'turn_' + toString(turn) ELSE row.props.turn_id END,
      e.embed_after = CASE WHEN row.vector IS NULL THEN 0.0 END
  FOREACH (_ IN CASE WHEN row.plain_text THEN [1] ELSE [] END | SET e:PlainEpisode)
  MERGE (p:Speaker {group_id: $group.group_id, user_id: $user_id, person_id: row.props.actor_id})
    ON CREATE SET p.name = row.props.actor, p.created_at = $now
  MERGE (e)-[by:SAID_BY]->(p) ON CREATE SET by.group_id = e.group_id, by.created_at = $now
  // A person of the same name in the group's videos is the same by default; unlink_speaker undoes that.
  WITH e, p, row, vector_id, seq
  OPTIONAL MATCH (seen:Person {group_id: $group.group_id, scope: '', person_id: row.props.actor_id})
  FOREACH (_ IN CASE WHEN seen IS NULL THEN [] ELSE [1] END |
    MERGE (p)-[link:SAME_AS]->(seen) ON CREATE SET link.group_id = e.group_id, link.resolution = 'name', link.created_at = $now)
  FOREACH (_ IN CASE WHEN row.vector IS NULL THEN [] ELSE [1] END |
    MERGE (m:Embedding {kind: 'episode', owner: toString(vector_id), model: $model})
    SET m.group_id = e.group_id, m.seq = seq, m.dim = $dim, m.data = row.vector, m.created_at = $now)

  // NEXT: from the previous turn of its session, and to the next one.
  WITH e
  OPTIONAL CALL (e) {
    MATCH (before:Episode)
    WHERE before.group_id = e.group_id AND before.user_id = e.user_id AND before.session_id = e.session_id AND before.turn < e.turn
    RETURN before ORDER BY before.group_id DESC, before.user_id DESC, before.session_id DESC, before.turn DESC LIMIT 1
  }
  OPTIONAL CALL (e) {
    MATCH (after:Episode)
    WHERE after.group_id = e.group_id AND after.user_id = e.user_id AND after.session_id = e.session_id AND after.turn > e.turn
    RETURN after ORDER BY after.group_id, after.user_id, after.session_id, after.turn LIMIT 1
  }
  OPTIONAL MATCH (before)-[passed:NEXT]->(later:Episode) WHERE later.turn > e.turn
  DELETE passed
  WITH DISTINCT e, before, after
  WITH [pair IN [[before, e], [e, after]] WHERE pair[0] IS NOT NULL AND pair[1] IS NOT NULL] AS pairs
  UNWIND pairs AS pair
  WITH pair[0] AS src, pair[1] AS dst
  MERGE (src)-[n:NEXT]->(dst) ON CREATE SET n.group_id = src.group_id, n.created_at = $now
}
WITH fits, found, g
UNWIND found AS f
OPTIONAL MATCH (there:Episode {group_id: $group.group_id, user_id: $user_id, episode_id: f.row.episode_id})
WITH fits, g, f, there ORDER BY f.row.number
RETURN fits, g.embedding_model AS model, g.embedding_dim AS dim,
       collect({sha: f.sha, session_id: f.session_id, intake_id: f.intake_id, content: f.content, taken: f.taken, turn: there.turn, forgotten: f.forgotten}) AS episodes
