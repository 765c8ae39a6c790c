// What is said in a video: the speaker turns and characters of its committed clips, in order.
// params: group_id, video_id, known_at (null: now)
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id = $video_id AND c.clip_id IS NOT NULL AND c.status = 'committed'
  AND c.speaker_turns <> '[]' AND ($known_at IS NULL OR c.committed_at <= $known_at)
RETURN c.speaker_turns AS speaker_turns, c.characters AS characters
ORDER BY c.t_start
