// Who is there in the scene of an event: those who act or speak in it, or whom a caption names; from when to when, and
// how many seconds from the event. Also who acts or speaks in other scenes of its video.
// params: node_id, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
// Names in talk and of owners ("Anna's phone") do not count: they may be elsewhere.
MATCH (a:Event {node_id: $node_id})-[:PART_OF]->(:Scene)-[:PART_OF]->(s:Scene)
WHERE a.group_id = $group_id
RETURN COLLECT {
  MATCH (s)<-[:PART_OF]-(:Scene)<-[:PART_OF]-(e:Event)-[r:INVOLVES]->(p:Person)
  WHERE (r.role IN ['actor', 'speaker'] OR size(e.dialogue_snippets) = 0 AND
    replace(replace(e.summary_text, p.name + "'s", ''), p.name + '’s', '') CONTAINS p.name) AND
    // <include recall/scope current_events>
  WITH p, min(e.time_start) AS since, max(e.time_end) AS until, min(CASE
    WHEN e.time_start > a.time_end THEN e.time_start - a.time_end
    WHEN e.time_end < a.time_start THEN a.time_start - e.time_end
    ELSE 0.0 END) AS away
  RETURN [p.person_id, p.name, since, until, away] ORDER BY since, p.person_id
} AS present, COLLECT {
  MATCH (o:Scene)
  WHERE o.group_id = $group_id AND o.video_id = s.video_id AND o.level = s.level AND o.t_start >= 0
    AND o.t_end <= $seconds.as_of
    AND ($clock IS NULL OR o.at IS NOT NULL AND o.at.epochMillis / 1000.0 + o.t_end - o.t_start <= $clock.as_of)
  UNWIND o.persons AS person_id
  WITH DISTINCT person_id
  MATCH (p:Person {group_id: $group_id, person_id: person_id}) WHERE p.scope IN ['', s.video_id]
  RETURN DISTINCT [p.person_id, p.name] AS person ORDER BY person
} AS others
