// The merged persons of a group with the person at the end of each chain; version: the number of merges in all groups.
// params: group_id
// The last two columns of a row are: whether the merged person alone has this id; and, if the name was split in a video (the
// scope), the name of the person at the end of the chain, else null. The version is read first, so that a concurrent merge is noticed later.
OPTIONAL MATCH (k:Counter {name: 'person_merges'})
WITH coalesce(toIntegerOrNull(k.next), 0) AS version
RETURN version, COLLECT {
  MATCH (p:Person)
  WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
  MATCH (p)-[:MERGED_INTO*1..]->(now:Person) WHERE NOT EXISTS { (now)-[:MERGED_INTO]->(:Person) }
  RETURN [p.scope, p.person_id, now.scope, now.person_id, NOT EXISTS {
    MATCH (other:Person)
    WHERE other.group_id = $group_id AND other.person_id = p.person_id AND NOT EXISTS { (other)-[:MERGED_INTO*0..]->(now) }
  }, CASE WHEN p.split THEN coalesce(now.named, now.name, now.person_id) END] ORDER BY p.scope, p.person_id
} AS merged
