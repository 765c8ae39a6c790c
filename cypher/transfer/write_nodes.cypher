// Write nodes of an import. Runs after transfer/draw, in the same transaction.
// params: group_id, rows [{labels, properties}]
// A video knows the event of it that was written last.
UNWIND $rows AS row
CREATE (n:$(row.labels))
SET n = row.properties
WITH n WHERE n:Event OR n:SupersededEvent
MATCH (v:Video {group_id: $group_id, video_id: n.video_id})
SET v.last_node_id = CASE WHEN v.last_node_id >= n.node_id THEN v.last_node_id ELSE n.node_id END
