// Clips by id, one per video, with their events.
// params: clip_id, video_id (null: any), group_id
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.clip_id = $clip_id AND c.video_id IS NOT NULL
  AND ($video_id IS NULL OR c.video_id = $video_id)
RETURN c.video_id AS video_id, c.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end, c.status AS status,
       c.analyser AS analyser, c.model AS model, c.clip_summary AS clip_summary, c.scene_type AS scene_type,
       c.notes AS notes, c.committed_at AS committed_at, c.content_sha256 AS content_sha256, c.uri AS uri,
       c.attempts AS attempts, c.failed_at AS failed_at, c.error AS error, c.raw_reply AS raw_reply,
       c.calls AS calls, c.tokens_in AS tokens_in, c.tokens_out AS tokens_out, CASE WHEN 0 <= c.cost_usd < 1e15 THEN c.cost_usd END AS cost_usd,
       c.unpriced AS unpriced, c.characters AS characters, c.speaker_turns AS speaker_turns,
       COLLECT {
         MATCH (c)<-[:IN_CLIP]-(e:Event)
         RETURN {node_id: e.node_id, time_start: e.time_start, time_end: e.time_end, summary_text: e.summary_text,
                dialogue_snippets: e.dialogue_snippets}
         ORDER BY e.position
       } AS events
ORDER BY video_id
