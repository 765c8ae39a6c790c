// The group's videos, or one of them, with their properties and counts; and how many they are.
// params: video_id (null: all), group_id, start, limit, is_now, seconds, clock, known_at (recall/scope.cypher)
// One row without a video if none is on the page; no row if there is none at all.
// is_now: no moment is given; else only those of which a clip or an event was there by then.
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND ($video_id IS NULL OR v.video_id = $video_id)
  AND ($is_now OR EXISTS { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE
  // <include recall/scope clip_then>
  } OR EXISTS { MATCH (v)<-[:OF_VIDEO]-(:Clip)<-[:IN_CLIP]-(e:Event) WHERE
  // <include recall/scope then>
  })
WITH v ORDER BY v.video_id
WITH collect(v) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS v RETURN v SKIP $start LIMIT $limit }
RETURN v.video_id AS video_id, v.uri AS uri, v.duration_s AS duration_s, v.fps AS fps, v.width AS width,
       v.height AS height, v.recorded_at AS recorded_at, v.place AS place,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'committed' AND
         // <include recall/scope clip_then>
       } AS clips,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'failed' AND
         // <include recall/scope clip_then>
       } AS failed,
       COUNT { MATCH (v)<-[:OF_VIDEO]-(:Clip)<-[:IN_CLIP]-(e:Event) WHERE
         // <include recall/scope then>
         RETURN DISTINCT e } AS events,
       reduce(end = 0.0, t IN COLLECT { MATCH (v)<-[:OF_VIDEO]-(c:Clip) WHERE c.status = 'committed' AND
         // <include recall/scope clip_then>
         RETURN c.t_end } |
              CASE WHEN t > end THEN t ELSE end END) AS seen_until, total
ORDER BY video_id
