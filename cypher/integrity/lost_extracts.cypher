// Turns of which fewer mentions and relations are there than were extracted from them. While a group is imported, the rest of
// them is still to come.
// params: group_id
CALL () {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.session_id IS NOT NULL AND e.turn IS NOT NULL
    AND e.extracts > 0
  RETURN e, e.extracts AS lost
  UNION ALL
  MATCH (m:Mention)
  WHERE m.group_id = $group_id AND m.user_id IS NOT NULL AND m.session_id IS NOT NULL AND m.turn IS NOT NULL
  MATCH (m)-[:MENTIONED_IN]->(e:Episode)
  RETURN e, -1 AS lost
  UNION ALL
  MATCH (m:Mention)
  WHERE m.group_id = $group_id AND m.user_id IS NOT NULL AND m.session_id IS NOT NULL AND m.turn IS NOT NULL
  MATCH (m)-[r:STATES]->(:Mention)
  MATCH (e:Episode {group_id: $group_id, user_id: m.user_id, episode_id: r.episode_id})
  RETURN e, -1 AS lost
}
WITH e, sum(lost) AS lost
WHERE lost > 0 AND NOT EXISTS { MATCH (g:Group {group_id: $group_id}) WHERE g.importing IS NOT NULL }
RETURN e.session_id AS session_id, e.turn AS turn, e.vector_id AS vector_id, lost ORDER BY session_id, turn
