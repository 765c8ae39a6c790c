// The events of a person, as ingest/linked_events has them, with only this person's involvements.
// params: group_id, who [scope, person_id]
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[part:INVOLVES]-(e:Event)
WHERE part.key IS NOT NULL
WITH p, e, collect({person_id: p.person_id, props: part {.key, .seen, .heard, .confidence, .evidence}}) AS involvements
RETURN e {.node_id, .video_id, .position, .time_start, .time_end, .clock_start} AS props, involvements, [] AS uses
