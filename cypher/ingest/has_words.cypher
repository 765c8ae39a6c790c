// Whether anything said is stored of a video.
// params: group_id, video_id
RETURN EXISTS {
  MATCH (c:Clip {group_id: $group_id, video_id: $video_id})
  WHERE c.clip_id IS NOT NULL AND coalesce(c.speaker_turns, '[]') <> '[]'
} AS has_words
