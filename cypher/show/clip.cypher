// A page of the clips of an id, one per video, with their events; and how many clips there are.
// One row without a clip if none is on the page; no row if there is none at all.
// params: clip_id, video_id (null: any), start, limit, group_id, is_now (no moment), seconds, clock, known_at (recall/scope.cypher)
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.clip_id = $clip_id AND c.video_id IS NOT NULL
  AND ($video_id IS NULL OR c.video_id = $video_id)
OPTIONAL MATCH (c)-[:OF_VIDEO]->(v:Video)
WITH c, v WHERE $is_now OR
  // <include recall/scope clip_then>
WITH c ORDER BY c.video_id
WITH collect(c) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS c RETURN c SKIP $start LIMIT $limit }
RETURN c.video_id AS video_id, c.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end, c.status AS status,
       c.analyser AS analyser, c.model AS model, c.clip_summary AS clip_summary, c.scene_type AS scene_type,
       c.notes AS notes, c.committed_at AS committed_at, c.content_sha256 AS content_sha256, c.uri AS uri,
       c.attempts AS attempts, c.failed_at AS failed_at, c.error AS error, c.raw_reply AS raw_reply,
       c.calls AS calls, c.tokens_in AS tokens_in, c.tokens_out AS tokens_out, CASE WHEN 0 <= c.cost_usd < 1e15 THEN c.cost_usd END AS cost_usd,
       c.unpriced AS unpriced, c.characters AS characters, c.speaker_turns AS speaker_turns,
       COLLECT {
         MATCH (c)<-[:IN_CLIP]-(e:Event) WHERE $is_now OR
         // <include recall/scope then>
         RETURN {node_id: e.node_id, at: e.at, time_start: e.time_start, time_end: e.time_end, summary_text: e.summary_text,
                dialogue_snippets: e.dialogue_snippets}
         ORDER BY e.position
       } AS events, total
ORDER BY video_id
