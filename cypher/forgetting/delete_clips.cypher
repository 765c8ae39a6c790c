// Delete the receipts of clips, and their videos if nothing of them is left.
// params: group_id, clips [{video_id, clip_id}], video_ids
CALL () {
  UNWIND $clips AS row
  MATCH (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})
  WITH collect(c) AS clips
  FOREACH (c IN clips | DETACH DELETE c)
  RETURN size(clips) AS clips
}
CALL (clips) {
  UNWIND $video_ids AS video_id
  MATCH (v:Video {group_id: $group_id, video_id: video_id})
  WHERE NOT EXISTS { (v)<-[:OF_VIDEO]-(:Clip) } AND NOT EXISTS {
    MATCH (e:Event) WHERE e.group_id = $group_id AND e.video_id = video_id AND e.position IS NOT NULL
  } AND NOT EXISTS {
    MATCH (e:SupersededEvent) WHERE e.group_id = $group_id AND e.video_id = video_id AND e.position IS NOT NULL
  }
  WITH collect(v) AS videos
  FOREACH (v IN videos | DETACH DELETE v)
  RETURN size(videos) AS videos
}
RETURN clips, videos
