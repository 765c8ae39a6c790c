// Where things were seen lately, the latest first.
// params: group_id, things [[place, name]], limit
// at_home: whether the video was recorded at a named place. Without one, the place of its objects is the video itself.
UNWIND $things AS thing
MATCH (o:Object {group_id: $group_id, place: thing[0], name: thing[1]})
CALL (o) {
  MATCH (o)<-[u:USES]-(e:Event)
  WITH u, e, CASE WHEN u.moves = 'to_place' AND u.spatial_relation <> '' THEN u.spatial_relation ELSE u.spatial_description END AS where
  WHERE where <> ''
  RETURN e, where ORDER BY u.key DESC, u.position DESC, u.seq DESC LIMIT $limit
}
RETURN o.place AS place, o.name AS name, e.video_id <> o.place AS at_home, e.node_id AS node_id,
       e.video_id + ' ' + e.clip_id AS occasion, where, coalesce(e.at, e.created_at) AS at
