// The committed clips of videos with their content hashes. A clip that lost its receipt is known by its events, and has the
// hash "". A clip that damage has taken something from is left out: it may be taken in again.
// params: group_id, video_ids
UNWIND $video_ids AS video_id
CALL (video_id) {
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.video_id = video_id AND c.clip_id IS NOT NULL AND c.status = 'committed'
    AND NOT (
      // <damaged>
      // Its receipt was made again; a repair has accepted a loss; it has fewer events of its own than it was written with
      // (merged events come on top), or one of them has fewer persons or objects.
      c.content_sha256 IS NULL OR coalesce(c.damaged = true, false)
      OR coalesce(c.events > COUNT {
           MATCH (c)<-[:IN_CLIP]-(own:Event|SupersededEvent)
           WHERE own.clip_id = c.clip_id AND NOT EXISTS { (own)<-[:MERGED_INTO]-() }
         }, false)
      OR EXISTS {
           MATCH (c)<-[:IN_CLIP]-(own:Event|SupersededEvent) WHERE own.links > COUNT { (own)-[:INVOLVES|USES]->() }
         }
      // </damaged>
    )
  RETURN c.clip_id AS clip_id, coalesce(c.content_sha256, '') AS content_sha256
  UNION
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id = video_id AND e.position IS NOT NULL
    AND COUNT { (e)-[:IN_CLIP]->() } < size(e.clip_ids)
  UNWIND e.clip_ids AS clip_id
  WITH e, clip_id
  WHERE NOT EXISTS { (e)-[:IN_CLIP]->(:Clip {clip_id: clip_id}) }
  RETURN clip_id, '' AS content_sha256
}
RETURN video_id, clip_id, content_sha256
