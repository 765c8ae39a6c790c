// The names of a group's people, objects, places, videos, types of scene and wearers of cameras, for parsing questions; also the next node_id, how often
// the group's events were rewritten and persons were merged, and the group's embedding model.
// params: group_id
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
OPTIONAL MATCH (own:Group {group_id: $group_id})
WITH coalesce(toIntegerOrNull(ids.next), 0) AS next,
     // It differs, too, if the group was forgotten and written again.
     coalesce(own.created_at.epochMillis, 0) * 1000000 + coalesce(toIntegerOrNull(own.rewritten), 0) AS rewritten
RETURN next, rewritten, [] AS touched,
  coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN toIntegerOrNull(k.next) }), 0) AS merges,
  COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded,
  COLLECT { MATCH (p:Person) WHERE p.group_id = $group_id AND p.person_id IS NOT NULL RETURN DISTINCT p.person_id } AS people,
  COLLECT { MATCH (o:Object) WHERE o.group_id = $group_id AND o.name IS NOT NULL RETURN DISTINCT o.name } AS objects,
  COLLECT {
    MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND v.place <> v.video_id RETURN DISTINCT v.place
  } AS places,
  COLLECT { MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL RETURN DISTINCT v.video_id } AS videos,
  COLLECT {
    MATCH (c:Clip) WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL AND c.scene_type <> ''
    RETURN DISTINCT c.scene_type
  } AS scene_types,
  COLLECT {
    MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL AND v.wearer IS NOT NULL RETURN DISTINCT v.wearer
  } AS wearers
