// Write relationships of an import. Runs after transfer/draw, in the same transaction.
// params: group_id, rows [{type, properties, source, target}]
// source, target: {label, and the properties of its key but the group}.
// A relationship to something that the export has not, and that is not there, is left out.
UNWIND $rows AS row
CALL (row) {
  UNWIND [row.source, row.target] AS end
  CALL (end) {
    WITH end WHERE end.label = 'Video'
    MATCH (n:Video {group_id: $group_id, video_id: end.video_id}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Clip'
    MATCH (n:Clip {group_id: $group_id, video_id: end.video_id, clip_id: end.clip_id}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Scene'
    MATCH (n:Scene {group_id: $group_id, video_id: end.video_id, level: end.level, t_start: end.t_start}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Person'
    MATCH (n:Person {group_id: $group_id, scope: end.scope, person_id: end.person_id}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Object'
    MATCH (n:Object {group_id: $group_id, place: end.place, name: end.name}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Event'
    MATCH (n:Event {group_id: $group_id, video_id: end.video_id, position: end.position}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'SupersededEvent'
    MATCH (n:SupersededEvent {group_id: $group_id, video_id: end.video_id, position: end.position}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Speaker'
    MATCH (n:Speaker {group_id: $group_id, user_id: end.user_id, person_id: end.person_id}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Episode'
    MATCH (n:Episode {group_id: $group_id, user_id: end.user_id, episode_id: end.episode_id}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Mention'
    MATCH (n:Mention {group_id: $group_id, user_id: end.user_id, id: end.id}) RETURN n
    UNION ALL
    WITH end WHERE end.label = 'Fact'
    MATCH (n:Fact {group_id: $group_id, user_id: end.user_id, fact_id: end.fact_id}) RETURN n
  }
  RETURN collect(n) AS ends
}
WITH row, ends WHERE size(ends) = 2
WITH row, ends[0] AS source, ends[1] AS target
CREATE (source)-[r:$(row.type)]->(target)
SET r = row.properties
RETURN count(r) AS written
