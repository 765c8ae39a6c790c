// The current events of clips, which make way for what is known of the clips now.
// params: group_id, clips [{video_id, clip_id}]
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
UNWIND $clips AS row
MATCH (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})
RETURN row.video_id AS video_id, row.clip_id AS clip_id, COLLECT {
    MATCH (c)<-[:IN_CLIP]-(e:Event) RETURN e.node_id ORDER BY e.node_id
  } AS node_ids
