// Record a clip that could not be analysed, with the error and what the attempt cost. Safe to run twice.
// params: key {group_id, video_id, clip_id}, video, clip, status (failed, skipped), attempt (from 1), usage, now
// Committed clips are not changed, and each attempt counts once.

// Locked first, as by every writer (ingest/lock), so that writers never deadlock.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (v:Video {group_id: $key.group_id, video_id: $key.video_id}) ON CREATE SET v += $video, v.created_at = $now
MERGE (c:Clip {group_id: $key.group_id, video_id: $key.video_id, clip_id: $key.clip_id})
MERGE (c)-[of:OF_VIDEO]->(v) ON CREATE SET of.group_id = v.group_id, of.created_at = $now
WITH c, coalesce(c.status, '') = 'committed' AS committed, coalesce(toIntegerOrNull(c.attempts), 0) AS attempts
FOREACH (_ IN CASE WHEN NOT committed AND attempts < $attempt THEN [1] ELSE [] END |
  SET c += $clip, c.status = $status, c.attempts = $attempt, c.failed_at = $now,
      c.calls = coalesce(toIntegerOrNull(c.calls), 0) + $usage.calls, c.unpriced = coalesce(toIntegerOrNull(c.unpriced), 0) + $usage.unpriced,
      c.tokens_in = coalesce(toIntegerOrNull(c.tokens_in), 0) + $usage.tokens_in,
      c.tokens_out = coalesce(toIntegerOrNull(c.tokens_out), 0) + $usage.tokens_out,
      c.cost_usd = coalesce(c.cost_usd, 0.0) + $usage.cost_usd)
RETURN committed
