// An event and the events that were merged into it, with their clips and the contents of their films.
// params: group_id, node_id
MATCH (e:Event|SupersededEvent {node_id: $node_id})
WHERE e.group_id = $group_id
MATCH (part:Event|SupersededEvent)-[:MERGED_INTO*0..]->(e)
OPTIONAL MATCH (part)-[:IN_CLIP]->(c:Clip)
OPTIONAL MATCH (c)-[:OF_VIDEO]->(v:Video)
RETURN DISTINCT part.node_id AS node_id, part.time_start AS time_start, part.time_end AS time_end,
  c.video_id AS video_id, c.clip_id AS clip_id, c.tracked IS NOT NULL AS is_tracked,
  coalesce(c.speaker_turns, '[]') AS speaker_turns,
  [each IN [v.fingerprint, v.grown_fingerprint, v.file_key] WHERE each > ''] AS fingerprints
ORDER BY node_id, video_id, clip_id
