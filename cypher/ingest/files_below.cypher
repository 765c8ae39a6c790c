// The files of a group that have one of these paths or lie in one of these folders: files of videos, and files of clips that
// are not their video's. fingerprints: those that the file may have; empty if no file was read, as with a clip analysis.
// params: group_id, paths, folders (each with a "/" at its end)
CALL () {
  MATCH (v:Video) USING INDEX v:Video(group_id, video_id)
  WHERE v.group_id = $group_id AND v.video_id IS NOT NULL
    AND (v.uri IN $paths OR any(folder IN $folders WHERE v.uri STARTS WITH folder))
  RETURN v.video_id AS video_id, v.uri AS uri,
         [print IN [v.fingerprint, v.grown_fingerprint] WHERE print <> ''] AS fingerprints
  UNION
  MATCH (c:Clip) USING INDEX c:Clip(group_id, video_id, clip_id)
  WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL
    AND (c.uri IN $paths OR any(folder IN $folders WHERE c.uri STARTS WITH folder))
  MATCH (v:Video {group_id: $group_id, video_id: c.video_id}) USING INDEX v:Video(group_id, video_id)
  WHERE v.uri IS NULL OR v.uri <> c.uri
  // A clip without a fingerprint of its own was cut from the video's file, if it had one, under an earlier name of it.
  RETURN DISTINCT v.video_id AS video_id, c.uri AS uri,
         CASE WHEN c.fingerprint IS NOT NULL THEN [c.fingerprint]
              WHEN v.file_key IS NOT NULL THEN [print IN [v.fingerprint, v.grown_fingerprint] WHERE print <> '']
              ELSE [] END AS fingerprints
}
RETURN video_id, uri, fingerprints ORDER BY uri, video_id
