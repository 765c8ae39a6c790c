// The events that involve persons, superseded ones included: all, or those of a video, or those that ended by a moment.
// params: group_id, persons [[scope, person_id]], video_id (null: any), before (null: any)
// An event ended when its wall clock says; if that is unknown, also by damage, when memory took it in.
UNWIND $persons AS who
MATCH (p:Person {group_id: $group_id, scope: who[0], person_id: who[1]})<-[:INVOLVES]-(e:Event|SupersededEvent)
WHERE ($video_id IS NULL OR e.video_id = $video_id)
  AND ($before IS NULL OR $before >= CASE WHEN e.at IS :: ZONED DATETIME NOT NULL AND toFloatOrNull(e.time_end) >= toFloatOrNull(e.time_start)
        THEN e.at + duration({milliseconds: toInteger(round((toFloat(e.time_end) - toFloat(e.time_start)) * 1000))})
        ELSE e.created_at END)
RETURN DISTINCT e.node_id AS node_id
ORDER BY node_id
