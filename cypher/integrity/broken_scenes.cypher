// Videos whose scenes are not whole, each with the stretch of its events and scenes. In whole scenes every event is part of one scene, every
// scene but those of the top level is part of one of the next, and each has as many events as when it was made.
// params: group_id, top (the top level)
// Videos whose scenes are to be made again anyway (scenes_since) are left out.
MATCH (v:Video)
WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND v.scenes_since IS NULL
CALL (v) {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id = v.video_id AND e.position IS NOT NULL
  RETURN min(e.time_start) AS since, max(e.time_end) AS until,
         sum(CASE WHEN COUNT { (e)-[:PART_OF]->(s:Scene) WHERE s.video_id = v.video_id AND s.level = 0 } = 1 THEN 0 ELSE 1 END) AS loose
}
CALL (v) {
  MATCH (s:Scene)
  WHERE s.group_id = $group_id AND s.video_id = v.video_id AND s.level IS NOT NULL AND s.t_start IS NOT NULL
  RETURN sum(CASE
    WHEN COUNT { (s)-[:PART_OF]->(w:Scene) WHERE w.level = s.level + 1 } <> CASE s.level WHEN $top THEN 0 ELSE 1 END THEN 1
    WHEN COUNT { MATCH (s)<-[:PART_OF]-{1,2}(:Event) } <> s.events THEN 1
    ELSE 0 END) AS broken, min(s.t_start) AS first, max(s.t_end) AS last
}
WITH v, CASE WHEN since <= coalesce(first, since) THEN since ELSE first END AS since,
     CASE WHEN until >= coalesce(last, until) THEN until ELSE last END AS until, loose + broken AS wrong
WHERE wrong > 0
RETURN v.video_id AS video_id, since, until, wrong ORDER BY video_id
