// The people and objects that a scope knows, for questions to name.
// params: group_id, video_ids (empty: all)
CALL () {
  MATCH (p:Person)
  WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
    AND (size($video_ids) = 0
         OR EXISTS { MATCH (e:Event)-[:INVOLVES]->(p) WHERE e.group_id = $group_id AND e.video_id IN $video_ids })
  RETURN 'person' AS kind, p.person_id AS identity
  UNION
  MATCH (o:Object)
  WHERE o.group_id = $group_id AND o.name IS NOT NULL
    AND (size($video_ids) = 0
         OR EXISTS { MATCH (e:Event)-[:USES]->(o) WHERE e.group_id = $group_id AND e.video_id IN $video_ids })
  RETURN 'object' AS kind, o.name AS identity
}
RETURN kind, identity ORDER BY kind, identity
