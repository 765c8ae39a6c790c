// Begin a commit of clips: lock out other writers, draw numbers, and say which clips are new.
// params: group {group_id, forgotten_as, props}, model, dim, videos [{video_id, place, recorded_at}], clips [{number, video_id, clip_id, content_sha256, position, films, forgotten_as, forgotten_before, group_forgotten_before, time_forgotten_before, ended}], now
// position: of the clip's first event. A clip is known by the hash of its content.
// films, forgotten_as: by which the film and the clip are noted if they were forgotten after forgotten_before (null: at all);
// the group's forgotten_as: likewise the group, after group_forgotten_before. ended: of the clip by the wall clock (null: unknown),
// by which it may have been forgotten after time_forgotten_before.
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip

// Every writer locks this counter first and holds it until the commit: ids are gapless and writers never deadlock.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <seqs>
MERGE (seqs:Counter {name: 'embedding_seq'})
// A counter that was damaged by hand counts on; if it is no number any more, all embeddings are read once.
SET seqs.next = CASE WHEN seqs.next IS :: INTEGER NOT NULL THEN seqs.next
  ELSE coalesce(head(COLLECT { MATCH (m:Embedding) WHERE m.seq IS :: INTEGER NOT NULL RETURN max(m.seq) }) + 1, 0) END
// </seqs>
// <ids>
SET ids.next = coalesce(toIntegerOrNull(ids.next), 0)
// Ids are drawn above those in the graph, even if a counter was set back. If none was, that takes one index seek each.
SET ids.next = reduce(next = ids.next, used IN COLLECT {
      MATCH (e:Event) WHERE e.node_id >= ids.next RETURN e.node_id ORDER BY e.node_id DESC LIMIT 1
    } + COLLECT {
      MATCH (e:SupersededEvent) WHERE e.node_id >= ids.next RETURN e.node_id ORDER BY e.node_id DESC LIMIT 1
    } + COLLECT {
      // An id of something forgotten is not given again: its embedding is still there. Only if one of the next ids is taken,
      // all embeddings are read.
      UNWIND range(ids.next, ids.next + 9) AS id
      MATCH (m:Embedding {kind: 'event', owner: toString(id)}) WHERE m.model IS NOT NULL
      WITH count(m) AS taken WHERE taken > 0
      MATCH (m:Embedding) WHERE m.kind = 'event' AND m.owner IS NOT NULL AND m.model IS NOT NULL
      RETURN max(toIntegerOrNull(m.owner)) AS used
    } | CASE WHEN used >= next THEN used + 1 ELSE next END)
// </ids>
// <event_seqs>
SET seqs.next = reduce(next = seqs.next, used IN COLLECT {
      MATCH (m:Embedding) WHERE m.kind = 'event' AND m.model = $model AND m.seq >= seqs.next
      RETURN m.seq ORDER BY m.kind DESC, m.model DESC, m.seq DESC LIMIT 1
    } | used + 1)
// </event_seqs>
WITH ids, seqs, head(COLLECT {
       MATCH (gone:ForgottenTurns {group_id: '', key: $group.forgotten_as}) RETURN gone.forgotten_at
     }) AS gone_at
WITH ids, seqs, gone_at,
     [row IN $clips WHERE row.films <> [] AND gone_at > coalesce(row.group_forgotten_before, datetime({epochMillis: 0})) | row.number] AS late
// Clips of a forgotten group do not bring it back.
FOREACH (_ IN CASE WHEN size(late) < size($clips) THEN [1] ELSE [] END |
  MERGE (made:Group {group_id: $group.group_id}) ON CREATE SET made += $group.props, made.created_at = $now)
WITH ids, seqs, gone_at, late
OPTIONAL MATCH (g:Group {group_id: $group.group_id})
RETURN g IS NULL OR g.embedding_model = $model AND g.embedding_dim = $dim AS fits, g.embedding_model AS model, g.embedding_dim AS dim,
  ids.next AS next_id, seqs.next AS next_seq,
  coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN toIntegerOrNull(k.next) }), 0) AS merges,
  COLLECT {
    UNWIND $videos AS row
    OPTIONAL MATCH (video:Video {group_id: $group.group_id, video_id: row.video_id})
    RETURN {video_id: row.video_id, stored: video {.longest, .heard, .voices, .damaged},
            // Of a video that was made again (integrity/restore_parents) the offset is unknown, maybe also place and clock.
            moved: video IS NOT NULL AND CASE WHEN video.damaged
              THEN NOT video.place IN [row.place, row.video_id]
                OR coalesce(video.recorded_at.epochMillis <> coalesce(row.recorded_at.epochMillis, 0), false)
              ELSE video.place <> row.place
                OR coalesce(toString(video.recorded_at), '') <> coalesce(toString(row.recorded_at), '') END}
  } AS videos,
  COLLECT {
    UNWIND $clips AS row
    OPTIONAL MATCH (c:Clip {group_id: $group.group_id, video_id: row.video_id, clip_id: row.clip_id, status: 'committed'})
    // A receipt that was made again (integrity/restore_receipts) has no hash and stands for any content. If a clip's
    // first event is there but no receipt, the receipt was lost: its events would be written twice.
    WITH row, CASE WHEN c IS NOT NULL THEN coalesce(c.content_sha256, row.content_sha256) END AS sha,
      c IS NOT NULL AND (
        // <include ingest/committed_clips damaged>
      ) AS damaged
    RETURN {known: sha, damaged: damaged,
            forgotten: CASE WHEN row.number IN late THEN gone_at ELSE head(COLLECT {
              UNWIND row.films AS film
              MATCH (f:ForgottenFootage)
              WHERE f.group_id = $group.group_id AND f.film = film AND f.clip IN row.forgotten_as
                AND (row.forgotten_before IS NULL OR f.forgotten_at > row.forgotten_before)
              RETURN f.forgotten_at LIMIT 1
            }) END,
            forgotten_by_time: head(COLLECT {
              MATCH (f:ForgottenFootage)
              WHERE row.films <> [] AND f.group_id = $group.group_id AND f.film = '' AND f.clip IS NOT NULL
                AND f.before >= row.ended AND (f.of = '' OR f.of IN row.films)
                AND (row.time_forgotten_before IS NULL OR f.forgotten_at > row.time_forgotten_before)
              RETURN f.forgotten_at LIMIT 1
            }),
            lost: sha IS NULL AND (EXISTS {
              MATCH (e:Event)
              WHERE e.group_id = $group.group_id AND e.video_id = row.video_id AND e.position = row.position
            } OR EXISTS {
              MATCH (e:SupersededEvent)
              WHERE e.group_id = $group.group_id AND e.video_id = row.video_id AND e.position = row.position
            })} ORDER BY row.number
  } AS clips
