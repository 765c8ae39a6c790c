// The events of clips, superseded ones included.
// params: group_id, clips [{video_id, clip_id}]
UNWIND $clips AS row
MATCH (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})<-[:IN_CLIP]-(e:Event|SupersededEvent)
RETURN DISTINCT e.node_id AS node_id
