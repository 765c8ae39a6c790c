// Make whom a video calls by a name of the group a person of that video. The other statements of this folder move the events.
// params: group_id, one [video_id, person_id], now
// Returns into: the person_id that it is merged into already, else null.
MERGE (p:Person {group_id: $group_id, scope: $one[0], person_id: $one[1]})
  ON CREATE SET p.created_at = $now, p.name = replace($one[1], '_', ' ')
SET p.split = true
RETURN head(COLLECT { MATCH (p)-[:MERGED_INTO]->(into:Person) RETURN into.person_id }) AS into
