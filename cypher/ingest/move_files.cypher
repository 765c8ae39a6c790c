// Replace the paths of files that moved, in videos and clips that still have the old ones. Safe to run twice.
// params: group_id, moves [{video_id, old, new, file_key (null if unknown)}]
UNWIND $moves AS move
CALL (move) {
  MATCH (v:Video {group_id: $group_id, video_id: move.video_id})
  WHERE v.uri = move.old
  SET v.uri = move.new, v.file_key = coalesce(move.file_key, v.file_key)
}
CALL (move) {
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.video_id = move.video_id AND c.clip_id IS NOT NULL AND c.uri = move.old
  SET c.uri = move.new
}
WITH count(move) AS moved
// Readers cache events with the paths of their clips.
MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1
