// The events whose scenes are made again, in order, at most `limit`; with those in the margin around them.
// params: group_id, video_id, top, first, last, margin, limit
// top: the top level. first, last: the stretch in which cuts may have changed. Whole scenes are made: from the start of the
// last stored one that begins before it (since), else of the video, to the start of the next after it (until; null: none).
OPTIONAL MATCH (s:Scene)
WHERE s.group_id = $group_id AND s.video_id = $video_id AND s.level = $top AND s.t_start < $first
WITH max(s.t_start) AS since
OPTIONAL MATCH (s:Scene)
WHERE s.group_id = $group_id AND s.video_id = $video_id AND s.level = $top AND s.t_start >= $last
WITH since, min(s.t_start) AS until
OPTIONAL MATCH (g:Group {group_id: $group_id})
RETURN since, until, COLLECT {
  MATCH (e:Event)
  WHERE e.group_id = $group_id AND e.video_id = $video_id AND e.position IS NOT NULL
    AND (since IS NULL OR e.time_end >= since - $margin AND e.time_start >= since - $margin)
    AND (until IS NULL OR e.time_start <= until + $margin)
  WITH e, g ORDER BY e.position LIMIT $limit
  OPTIONAL MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model})
  RETURN e {.node_id, .time_start, .time_end, .summary_text, .dialogue_snippets, .objects, .scene_type, vector: m.data, present:
    COLLECT {
      MATCH (e)-[r:INVOLVES]->(:Person)
      WHERE r.role IN ['actor', 'speaker']
      RETURN DISTINCT r.stated[1] AS person_id ORDER BY person_id
    }} AS event
  ORDER BY e.position
} AS events
