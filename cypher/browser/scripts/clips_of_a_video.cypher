// The clips of a video with their events in order
// params: group_id, video_id
WITH 'demo' AS group_id, 'kitchen_noon' AS video_id
MATCH (v:Video)
WHERE v.group_id = group_id AND v.video_id = video_id
MATCH clip = (v)<-[:OF_VIDEO]-(c:Clip)
OPTIONAL MATCH event = (c)<-[:IN_CLIP]-(e:Event)
OPTIONAL MATCH next = (e)-[:TEMPORAL]->(:Event)
RETURN clip, event, next
