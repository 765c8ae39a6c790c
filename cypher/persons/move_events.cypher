// Move INVOLVES from one person to another, where the analysis stated one of the given aliases (INVOLVES.stated).
// A name that was split in the event's video is the identity of that video's person.
// params: group_id, source [scope, person_id], target [scope, person_id], aliases [[scope, person_id]]
MATCH (source:Person {group_id: $group_id, scope: $source[0], person_id: $source[1]})<-[part:INVOLVES]-(e)
WITH e, part, CASE WHEN part.stated[0] = '' AND EXISTS {
  MATCH (own:Person {group_id: $group_id, scope: e.video_id, person_id: part.stated[1]}) WHERE own.split
} THEN [e.video_id, part.stated[1]] ELSE part.stated END AS stated
WHERE stated IN $aliases
CALL (e, part) {
  MATCH (target:Person {group_id: $group_id, scope: $target[0], person_id: $target[1]})
  CREATE (target)<-[moved:INVOLVES]-(e)
  SET moved = properties(part), moved.person_id = target.person_id
}
DELETE part
RETURN count(DISTINCT CASE WHEN e:Event THEN e END) AS events
