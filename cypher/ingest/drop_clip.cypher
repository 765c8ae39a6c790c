// Record a clip of a live source that was dropped because analysis was behind. Safe to run twice.
// params: key {group_id, video_id, clip_id}, video, clip, now
// Clips that are committed or were tried are not changed. The video counts what it lacks.

// Locked first, as by every writer (ingest/lock), so that writers never deadlock.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (v:Video {group_id: $key.group_id, video_id: $key.video_id}) ON CREATE SET v += $video, v.created_at = $now
MERGE (c:Clip {group_id: $key.group_id, video_id: $key.video_id, clip_id: $key.clip_id})
MERGE (c)-[of:OF_VIDEO]->(v) ON CREATE SET of.group_id = v.group_id, of.created_at = $now
WITH v, c, c.status IS NULL AS fresh
FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
  SET c += $clip, c.status = 'dropped', c.failed_at = $now,
      v.dropped_clips = coalesce(toIntegerOrNull(v.dropped_clips), 0) + 1,
      v.dropped_sec = round(coalesce(v.dropped_sec, 0.0) + c.t_end - c.t_start, 3))
RETURN fresh
