// Who was merged into whom in a group, to the end of each chain, and how often persons were merged in all groups.
// params: group_id
// The last of each row: nobody else is called as the one who was merged.
// The number is read first: what is merged meanwhile may be among the rows, and is found out by it later.
OPTIONAL MATCH (k:Counter {name: 'person_merges'})
WITH coalesce(k.next, 0) AS version
RETURN version, COLLECT {
  MATCH (p:Person)
  WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
  MATCH (p)-[:MERGED_INTO*1..]->(now:Person) WHERE NOT EXISTS { (now)-[:MERGED_INTO]->(:Person) }
  RETURN [p.scope, p.person_id, now.scope, now.person_id, NOT EXISTS {
    MATCH (other:Person)
    WHERE other.group_id = $group_id AND other.person_id = p.person_id AND NOT EXISTS { (other)-[:MERGED_INTO*0..]->(now) }
  }] ORDER BY p.scope, p.person_id
} AS merged
