// Items of a camera system that committed clips were made of: those with these ids, and all reviews and sounds of the videos.
// params: group_id, video_ids, days (ends of ids of videos), item_ids
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL
  AND (v.video_id IN $video_ids OR any(day IN $days WHERE v.video_id ENDS WITH day))
MATCH (c:Clip)
WHERE c.group_id = v.group_id AND c.video_id = v.video_id AND c.clip_id IS NOT NULL
  AND c.status = 'committed' AND c.tracked IS NOT NULL AND c.content_sha256 IS NOT NULL
  AND (c.clip_id IN $item_ids OR c.tracked CONTAINS '"kind":"review"' OR c.tracked CONTAINS '"kind":"sound"')
RETURN c.video_id AS video_id, c.content_sha256 AS content_sha256, c.tracked AS tracked,
  coalesce(c.uri, '') AS uri, coalesce(v.place, '') AS place
