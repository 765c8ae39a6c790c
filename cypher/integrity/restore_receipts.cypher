// Make lost receipts again from their events. What only the receipt held (content_sha256, summary, cost) stays unknown.
// A receipt that was only not linked counts as damaged: what else its events have lost could not be noted on it.
// params: group_id, clips [{video_id, clip_id}], now
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
UNWIND $clips AS row
MATCH (v:Video {group_id: $group_id, video_id: row.video_id})
CALL (row, v) {
  CALL (row) {
    MATCH (e:Event)
    WHERE e.group_id = $group_id AND e.video_id = row.video_id AND e.position IS NOT NULL AND row.clip_id IN e.clip_ids
    RETURN e
    UNION ALL
    MATCH (e:SupersededEvent)
    WHERE e.group_id = $group_id AND e.video_id = row.video_id AND e.position IS NOT NULL AND row.clip_id IN e.clip_ids
    RETURN e
  }
  WITH row, v, collect(e) AS events, min(e.time_start) AS t_start, max(e.time_end) AS t_end
  MERGE (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})
    ON CREATE SET c.t_start = t_start, c.t_end = t_end, c.committed_at = $now, c.attempts = 1, c.analyser = '', c.model = '',
      c.clip_summary = '', c.scene_type = '', c.characters = '[]', c.speaker_turns = '[]',
      c.notes = ['the receipt was lost and made again from the events'], c.uri = v.uri, c.uri_offset = 0.0
  SET c.status = 'committed', c.damaged = true
  MERGE (c)-[of:OF_VIDEO]->(v) ON CREATE SET of.group_id = $group_id, of.created_at = $now
  FOREACH (e IN events |
    MERGE (c)<-[in:IN_CLIP]-(e) ON CREATE SET in.group_id = $group_id, in.created_at = $now)
  RETURN c
}
RETURN count(c) AS restored
