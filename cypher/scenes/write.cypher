// Replace the scenes of a stretch of a video. What a model has said of a scene that stays the same is kept.
// params: group_id, video_id, since, until (null: to the end), stale_since (null: all scenes are made), plain_text, now,
//   scenes [{props, node_ids, within (index of the scene of the next level, null: of the top)}]
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
MATCH (v:Video {group_id: $group_id, video_id: $video_id})
SET v.scenes_until = CASE WHEN $stale_since IS NULL THEN null ELSE v.scenes_until END, v.scenes_since = $stale_since
WITH v
CALL () {
  MATCH (s:Scene)
  WHERE s.group_id = $group_id AND s.video_id = $video_id AND s.level >= 0 AND s.t_start >= $since
    AND ($until IS NULL OR s.t_start < $until)
  WITH collect(s) AS gone, collect(CASE WHEN s.asked IS NOT NULL THEN {level: s.level, t_start: s.t_start, t_end: s.t_end,
    // Without the summary that scenes/tell has put before it.
    text: CASE WHEN s.told_by IS NULL THEN s.text ELSE substring(s.text, size(s.summary_text) + 1) END,
    props: s {.asked, .told_by, .summary_text, .text, .calls, .unpriced, .tokens_in, .tokens_out, .cost_usd}} END) AS told
  FOREACH (s IN gone | DETACH DELETE s)
  RETURN told
}
CALL (v, told) {
  UNWIND $scenes AS row
  WITH v, row, head([t IN told WHERE t.level = row.props.level AND t.t_start = row.props.t_start
    AND t.t_end = row.props.t_end AND t.text = row.props.text]) AS same
  CREATE (s:Scene)
  SET s = row.props, s.group_id = $group_id, s.video_id = $video_id, s.place = v.place, s.created_at = $now,
      s.at = v.recorded_at + duration({milliseconds: toInteger(round(1000 * row.props.t_start))})
  FOREACH (_ IN CASE WHEN same IS NULL THEN [] ELSE [1] END | SET s += same.props)
  FOREACH (_ IN CASE WHEN $plain_text THEN [1] ELSE [] END | SET s:PlainScene)
  RETURN collect(s) AS made
}
CALL (made) {
  UNWIND range(0, size(made) - 1) AS number
  WITH made[number] AS scene, $scenes[number].within AS within, made
  WHERE within IS NOT NULL
  WITH scene, made[within] AS wider
  CREATE (scene)-[:PART_OF {group_id: $group_id, created_at: $now}]->(wider)
}
CALL (made) {
  UNWIND range(0, size(made) - 1) AS number
  WITH made[number] AS scene, $scenes[number].node_ids AS node_ids
  UNWIND node_ids AS node_id
  MATCH (e:Event {node_id: node_id})
  CREATE (e)-[:PART_OF {group_id: $group_id, created_at: $now}]->(scene)
}
