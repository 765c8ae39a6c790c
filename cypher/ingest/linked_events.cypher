// Events with what ties them to others: their time, and the chains of persons and objects that they are members of.
// params: group_id, node_ids
UNWIND $node_ids AS node_id
MATCH (e:Event {node_id: node_id})
WHERE e.group_id = $group_id
RETURN
  // <linked>
  e {.node_id, .video_id, .clip_id, .position, .time_start, .time_end, .clock_start, .heard, .summary_text} AS props,
  COLLECT {
    MATCH (e)-[r:INVOLVES]->(p:Person)
    WHERE r.key IS :: STRING NOT NULL AND r.seen IS :: STRING AND r.heard IS :: STRING
    RETURN {person_id: p.person_id, props: r {.key, .seen, .heard, .confidence, .evidence}}
  } AS involvements,
  COLLECT {
    MATCH (e)-[r:USES]->(o:Object) WHERE r.key IS :: STRING NOT NULL
    RETURN {name: o.name, props: r {.key, .seq, .verb, .actor, .from_state, .to_state, .spatial_relation}} ORDER BY r.seq
  } AS uses,
  head(COLLECT {
    MATCH (v:Video {group_id: e.group_id, video_id: e.video_id}) RETURN v {.longest, .heard, .voices}
  }) AS video
  // </linked>
