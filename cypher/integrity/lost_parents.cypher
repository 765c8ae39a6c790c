// A group, videos and sessions that clips, events or turns name but that do not exist; also videos not linked to their clips,
// and how far the facts of a user were read, where runs over them are there.
// params: group_id
CALL () {
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL AND NOT EXISTS { (c)-[:OF_VIDEO]->(:Video) }
  RETURN DISTINCT 'video' AS kind, c.video_id AS name, '' AS user_id
  UNION
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
  WITH DISTINCT e.video_id AS name
  WHERE NOT EXISTS { (:Video {group_id: $group_id, video_id: name}) }
  RETURN 'video' AS kind, name, '' AS user_id
  UNION
  MATCH (t:Episode)
  WHERE t.group_id = $group_id AND t.user_id IS NOT NULL AND t.session_id IS NOT NULL AND t.turn IS NOT NULL
  WITH DISTINCT t.user_id AS user_id, t.session_id AS name
  WHERE NOT EXISTS { (:Session {group_id: $group_id, user_id: user_id, session_id: name}) }
  RETURN 'session' AS kind, name, user_id
  UNION
  MATCH (r:FactRun)
  WHERE r.group_id = $group_id AND r.user_id IS NOT NULL AND r.run_id IS NOT NULL
  WITH DISTINCT r.user_id AS user_id
  WHERE NOT EXISTS { (:FactUpkeep {group_id: $group_id, user_id: user_id}) }
  RETURN 'upkeep of facts' AS kind, user_id AS name, user_id
  UNION
  MATCH (c:Clip)
  WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL AND NOT EXISTS { (:Group {group_id: $group_id}) }
  RETURN DISTINCT 'group' AS kind, $group_id AS name, '' AS user_id
  UNION
  MATCH (t:Episode)
  WHERE t.group_id = $group_id AND t.user_id IS NOT NULL AND t.episode_id IS NOT NULL AND NOT EXISTS { (:Group {group_id: $group_id}) }
  RETURN DISTINCT 'group' AS kind, $group_id AS name, '' AS user_id
}
RETURN kind, name, user_id ORDER BY kind, user_id, name
