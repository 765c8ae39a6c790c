// The videos a person appears in, with place and start time.
// params: group_id, who [scope, person_id]
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[:INVOLVES]-(e)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video)
RETURN DISTINCT v.video_id AS video_id, v.place AS place, v.recorded_at AS recorded_at
