// Model usage of a group's clips by analyser and model: calls, tokens, cost, and seconds of video; and that of summaries of scenes.
// params: group_id
CALL () {
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL
  WITH c.analyser AS analyser, c.model AS model, c,
       CASE c.status WHEN 'committed' THEN 1 ELSE 0 END AS committed, CASE c.status WHEN 'failed' THEN 1 ELSE 0 END AS failed,
       CASE c.status WHEN 'skipped' THEN 1 ELSE 0 END AS skipped
  RETURN analyser, model, sum(committed) AS clips, sum(failed) AS failed, sum(skipped) AS skipped,
         sum(committed * (c.t_end - c.t_start)) AS video_seconds,
         sum(coalesce(c.calls, 0)) AS calls, sum(coalesce(c.tokens_in, 0)) AS tokens_in,
         sum(coalesce(c.tokens_out, 0)) AS tokens_out, sum(CASE WHEN 0 <= c.cost_usd < 1e15 THEN c.cost_usd ELSE 0.0 END) AS cost_usd,
         sum(coalesce(c.unpriced, 0)) AS unpriced
  UNION ALL
  MATCH (s:Scene)
  WHERE s.group_id = $group_id AND s.video_id IS NOT NULL AND s.level IS NOT NULL AND s.t_start IS NOT NULL AND s.asked IS NOT NULL
  RETURN 'scenes' AS analyser, s.asked AS model, 0 AS clips, 0 AS failed, 0 AS skipped, 0.0 AS video_seconds,
         sum(coalesce(s.calls, 0)) AS calls, sum(coalesce(s.tokens_in, 0)) AS tokens_in,
         sum(coalesce(s.tokens_out, 0)) AS tokens_out, sum(CASE WHEN 0 <= s.cost_usd < 1e15 THEN s.cost_usd ELSE 0.0 END) AS cost_usd,
         sum(coalesce(s.unpriced, 0)) AS unpriced
}
RETURN analyser, model, clips, failed, skipped, video_seconds, calls, tokens_in, tokens_out, cost_usd, unpriced
ORDER BY analyser, model
