// The receipts of a video's clips, in order of time.
// params: group_id, video_id
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id = $video_id AND c.clip_id IS NOT NULL
RETURN c.video_id AS video_id, c.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end, c.status AS state,
       c.received_at AS received_at, c.analysed_at AS analysed_at, c.committed_at AS committed_at,
       c.failed_at AS failed_at, c.error AS error, c.uri AS uri, COUNT { (c)<-[:IN_CLIP]-(:Event) } AS events
ORDER BY t_start, clip_id
