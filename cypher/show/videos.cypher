// The group's videos, or one of them, with their properties and counts.
// params: video_id (null: all), group_id
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND ($video_id IS NULL OR v.video_id = $video_id)
RETURN v.video_id AS video_id, v.uri AS uri, v.duration_s AS duration_s, v.fps AS fps, v.width AS width,
       v.height AS height, v.recorded_at AS recorded_at, v.place AS place,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'committed' } AS clips,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'failed' } AS failed,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(:Clip)<-[:IN_CLIP]-(e:Event) RETURN DISTINCT e } AS events,
       reduce(end = 0.0, t IN COLLECT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'committed' RETURN c.t_end } |
              CASE WHEN t > end THEN t ELSE end END) AS seen_until
ORDER BY video_id
