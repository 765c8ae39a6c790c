// The clips to forget, in order: all of the group, or those of a video, or those that ended by a moment; with the number of
// events of each, and of clips of its video.
// params: group_id, video_id (null: any), clip_id (null: any), before (null: any)
// A clip ended when its video's wall clock says; if that is unknown, also by damage, when memory took it in.
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL
  AND ($video_id IS NULL OR c.video_id = $video_id) AND ($clip_id IS NULL OR c.clip_id = $clip_id)
OPTIONAL MATCH (c)-[:OF_VIDEO]->(v:Video)
WITH c, v, CASE WHEN v.recorded_at IS :: ZONED DATETIME NOT NULL AND toFloatOrNull(c.t_end) IS NOT NULL
             THEN v.recorded_at + duration({milliseconds: toInteger(round(toFloat(c.t_end) * 1000))})
             ELSE coalesce(c.committed_at, c.failed_at) END AS ended
WHERE $before IS NULL OR ended <= $before
RETURN c.video_id AS video_id, c.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end, COUNT { (c)<-[:IN_CLIP]-(:Event|SupersededEvent) } AS events,
       COUNT { (v)<-[:OF_VIDEO]-(:Clip) } AS clips_of_video, v.recorded_at IS NOT NULL AS is_dated,
       [each IN [v.fingerprint, v.grown_fingerprint, v.file_key] WHERE each > ''] AS fingerprints
ORDER BY video_id, c.t_start, clip_id
