// The receipts of the group's clips that were received last, the latest first; and how many there are.
// params: group_id, limit
CALL () {
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.received_at IS NOT NULL
  RETURN count(c) AS total
}
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.received_at IS NOT NULL
WITH total, c ORDER BY c.group_id DESC, c.received_at DESC LIMIT $limit
RETURN c.video_id AS video_id, c.clip_id AS clip_id, c.t_start AS t_start, c.t_end AS t_end, c.status AS state,
       c.received_at AS received_at, c.analysed_at AS analysed_at, c.committed_at AS committed_at,
       c.failed_at AS failed_at, c.error AS error, COUNT { (c)<-[:IN_CLIP]-(:Event) } AS events, total
ORDER BY received_at DESC, t_start DESC
