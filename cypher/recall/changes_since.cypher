// What the events from a node_id on added to a group: people, objects, places, videos, types of scene, wearers of cameras, and the earlier events they are
// linked to; also the group's embedding model, and how often persons were merged in all groups.
// params: group_id, since (the first node_id not yet read)
OPTIONAL MATCH (ids:Counter {name: 'node_id'})
OPTIONAL MATCH (own:Group {group_id: $group_id})
WITH coalesce(toIntegerOrNull(ids.next), 0) AS next,
     // It differs, too, if the group was forgotten and written again.
     coalesce(own.created_at.epochMillis, 0) * 1000000 + coalesce(toIntegerOrNull(own.rewritten), 0) AS rewritten
RETURN next, rewritten,
  coalesce(head(COLLECT { MATCH (k:Counter {name: 'person_merges'}) RETURN toIntegerOrNull(k.next) }), 0) AS merges,
  COLLECT { MATCH (g:Group) WHERE g.group_id = $group_id RETURN [g.embedding_model, g.embedding_dim] } AS embedded,
  COLLECT {
    MATCH (e:Event)-[:INVOLVES]->(p:Person) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT p.person_id
  } AS people,
  COLLECT {
    MATCH (e:Event)-[:USES]->(o:Object) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT o.name
  } AS objects,
  COLLECT {
    MATCH (e:Event)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id AND v.place <> v.video_id
    RETURN DISTINCT v.place
  } AS places,
  COLLECT {
    MATCH (e:Event)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id
    RETURN DISTINCT v.video_id
  } AS videos,
  COLLECT {
    MATCH (e:Event) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id AND e.scene_type <> ''
    RETURN DISTINCT e.scene_type
  } AS scene_types,
  COLLECT {
    MATCH (e:Event)-[:IN_CLIP]->(:Clip)-[:OF_VIDEO]->(v:Video) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id AND v.wearer IS NOT NULL
    RETURN DISTINCT v.wearer
  } AS wearers,
  // Beyond 1000 new events, reading again what is needed is cheaper.
  CASE WHEN next - $since <= 1000 THEN COLLECT {
    MATCH (e:Event)-[:
      // <include recall/channels channels>
    ]-(o:Event) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id AND o.node_id < $since
    RETURN DISTINCT o.node_id
  } + COLLECT {
    MATCH (e:Event) USING INDEX e:Event(node_id)
    WHERE e.node_id >= $since AND e.group_id = $group_id AND e.unlinked IS NOT NULL
    UNWIND e.unlinked AS node_id
    RETURN DISTINCT node_id
  } END AS touched
