// The events of a video that end last, in order of their end, with everything that merging needs; also the video's last
// node_id. Persons are returned as stated, before person merges, so that those never decide which events are merged.
// params: group_id, video_id, model, limit
// Planning takes seconds and its result does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
OPTIONAL MATCH (v:Video {group_id: $group_id, video_id: $video_id})
RETURN v.last_node_id AS last_node_id, COLLECT {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id = $video_id AND e.time_end IS NOT NULL
  WITH e ORDER BY e.group_id DESC, e.video_id DESC, e.time_end DESC, e.position DESC LIMIT $limit
  MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model})
  RETURN e {.*, vector: m.data,
    involvements: COLLECT {
      MATCH (e)-[r:INVOLVES]->(:Person)
      RETURN {person_id: r.stated[1], role: r.role, scope: r.stated[0], evidence: r.evidence, confidence: r.confidence}
      ORDER BY r.role, r.stated
    },
    uses: COLLECT {
      MATCH (e)-[r:USES]->(o:Object)
      RETURN {seq: r.seq, name: o.name, verb: r.verb, actor: coalesce(r.stated_actor, r.actor), from_state: r.from_state, to_state: r.to_state,
              state_kind: r.state_kind, moves: r.moves, time: r.time, spatial_relation: r.spatial_relation,
              spatial_description: r.spatial_description} ORDER BY r.seq
    }} AS event
  ORDER BY e.time_end, e.position
} AS events
