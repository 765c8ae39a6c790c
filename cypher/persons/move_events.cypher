// Move INVOLVES from one person to another, where the analysis stated one of the given aliases (INVOLVES.stated).
// params: group_id, source [scope, person_id], target [scope, person_id], aliases [[scope, person_id]]
MATCH (source:Person {group_id: $group_id, scope: $source[0], person_id: $source[1]})<-[part:INVOLVES]-(e)
WHERE part.stated IN $aliases
CALL (e, part) {
  MATCH (target:Person {group_id: $group_id, scope: $target[0], person_id: $target[1]})
  CREATE (target)<-[moved:INVOLVES]-(e)
  SET moved = properties(part), moved.person_id = target.person_id
}
DELETE part
RETURN count(DISTINCT CASE WHEN e:Event THEN e END) AS events
