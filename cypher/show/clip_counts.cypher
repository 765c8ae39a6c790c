// How many clips of some videos are committed, failed and dropped.
// params: group_id, video_ids
UNWIND $video_ids AS video_id
MATCH (v:Video {group_id: $group_id, video_id: video_id})
RETURN v.video_id AS video_id,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'committed' } AS committed,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'failed' } AS failed,
       coalesce(v.dropped_clips, 0) AS dropped, coalesce(v.dropped_sec, 0.0) AS dropped_sec
