// How many nodes of a group each full-text index must find; those of conversations per user.
// params: group_id
CALL () {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
  WITH count(e) AS every, count(CASE WHEN e:PlainText THEN 1 END) AS plain
  UNWIND [{index: 'amr_event_text', nodes: every}, {index: 'amr_plain_text', nodes: plain}] AS row
  RETURN row.index AS index, null AS user_id, row.nodes AS nodes
  UNION ALL
  MATCH (e:SupersededEvent)
  WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
  WITH count(e) AS every, count(CASE WHEN e:PlainSupersededEvent THEN 1 END) AS plain
  UNWIND [{index: 'amr_superseded_text', nodes: every}, {index: 'amr_plain_superseded_text', nodes: plain}] AS row
  RETURN row.index AS index, null AS user_id, row.nodes AS nodes
  UNION ALL
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.user_id IS :: STRING AND e.clock IS NOT NULL
  WITH e.user_id AS user_id, count(e) AS every, count(CASE WHEN e:PlainEpisode THEN 1 END) AS plain
  UNWIND [{index: 'amr_episode_text', nodes: every}, {index: 'amr_plain_episode_text', nodes: plain}] AS row
  RETURN row.index AS index, user_id, row.nodes AS nodes
  UNION ALL
  MATCH (f:Fact)
  WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.user_id IS :: STRING AND f.fact_id IS NOT NULL
  RETURN 'amr_fact_text' AS index, f.user_id AS user_id, count(f) AS nodes
}
RETURN index, user_id, nodes
