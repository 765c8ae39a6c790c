// The files of a group that are one of some paths or lie in one of some folders: those of videos, and those of clips where
// they are others. fingerprints: of what each may hold; empty where it was never read, as of a clip analysis.
// params: group_id, paths, folders (each with a "/" at its end)
CALL () {
  MATCH (v:Video)
  WHERE v.group_id = $group_id AND v.video_id IS NOT NULL
    AND (v.uri IN $paths OR any(folder IN $folders WHERE v.uri STARTS WITH folder))
  RETURN v.video_id AS video_id, v.uri AS uri,
         [print IN [v.fingerprint, v.grown_fingerprint] WHERE print <> ''] AS fingerprints
  UNION
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL
    AND (c.uri IN $paths OR any(folder IN $folders WHERE c.uri STARTS WITH folder))
  MATCH (v:Video {group_id: $group_id, video_id: c.video_id})
  WHERE v.uri IS NULL OR v.uri <> c.uri
  // A clip without a fingerprint of its own is a stretch of the video's file under an earlier name, if that had a file.
  RETURN DISTINCT v.video_id AS video_id, c.uri AS uri,
         CASE WHEN c.fingerprint IS NOT NULL THEN [c.fingerprint]
              WHEN v.file_key IS NOT NULL THEN [print IN [v.fingerprint, v.grown_fingerprint] WHERE print <> '']
              ELSE [] END AS fingerprints
}
RETURN video_id, uri, fingerprints ORDER BY uri, video_id
