// The events that involve persons, superseded ones included: all, or those of a video, or those that ended by a moment.
// params: group_id, persons [[scope, person_id]], video_id (null: any), before (null: any)
// An event ended when its wall clock says; if that is unknown, when memory took it in.
UNWIND $persons AS who
MATCH (p:Person {group_id: $group_id, scope: who[0], person_id: who[1]})<-[:INVOLVES]-(e:Event|SupersededEvent)
WHERE ($video_id IS NULL OR e.video_id = $video_id)
  AND ($before IS NULL OR $before >= CASE WHEN e.at IS NULL THEN e.created_at
        ELSE e.at + duration({milliseconds: toInteger(round((e.time_end - e.time_start) * 1000))}) END)
RETURN DISTINCT e.node_id AS node_id
ORDER BY node_id
