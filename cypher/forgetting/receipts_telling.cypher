// The receipts of clips with what they tell of people, and whether one of the clip's events involves one of `persons`.
// params: group_id, persons [[scope, person_id]], video_id (null: any), before (null: any)
// Only clips that ended by `before`, as in forgetting/select_clips.
MATCH (c:Clip)
WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL
  AND ($video_id IS NULL OR c.video_id = $video_id)
OPTIONAL MATCH (c)-[:OF_VIDEO]->(v:Video)
WITH c, CASE WHEN v.recorded_at IS :: ZONED DATETIME NOT NULL AND toFloatOrNull(c.t_end) IS NOT NULL
             THEN v.recorded_at + duration({milliseconds: toInteger(round(toFloat(c.t_end) * 1000))})
             ELSE coalesce(c.committed_at, c.failed_at) END AS ended
WHERE $before IS NULL OR ended <= $before
RETURN c.video_id AS video_id, c.clip_id AS clip_id, coalesce(c.characters, '[]') AS characters,
       coalesce(c.speaker_turns, '[]') AS speaker_turns, coalesce(c.clip_summary, '') AS clip_summary,
       coalesce(c.error, '') + coalesce(c.raw_reply, '') + coalesce(c.tracked, '') + reduce(all = '', n IN coalesce(c.notes, []) | all + n) AS other,
       EXISTS { MATCH (c)<-[:IN_CLIP]-(:Event|SupersededEvent)-[:INVOLVES]->(p:Person) WHERE [p.scope, p.person_id] IN $persons } AS involves
ORDER BY video_id, clip_id
