// Record that one person is another. The other statements of this folder move the edges.
// params: group_id, one [scope, person_id], other [scope, person_id], now
// Returns aliases: the person itself and everybody merged into it.
MATCH (one:Person {group_id: $group_id, scope: $one[0], person_id: $one[1]})
CALL (one) {
  MATCH (other:Person {group_id: $group_id, scope: $other[0], person_id: $other[1]})
  MERGE (one)-[into:MERGED_INTO]->(other)
  SET into.group_id = $group_id, into.at = $now, into.created_at = $now,
      into.events = COUNT { MATCH (one)<-[:INVOLVES]-(e:Event) RETURN DISTINCT e }
}
RETURN COLLECT { MATCH (one)<-[:MERGED_INTO*0..]-(p:Person) RETURN [p.scope, p.person_id] } AS aliases
