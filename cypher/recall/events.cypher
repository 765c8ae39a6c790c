// The events with the given ids that are in the scope.
// params: node_ids, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
// One record holds all rows, because the driver takes 50 us per record. floor: epochSeconds rounds towards 1970.
UNWIND $node_ids AS node_id
MATCH (e:Event {node_id: node_id})-[:IN_CLIP]->(c:Clip)
// <rows>
WHERE c.clip_id = e.clip_ids[0] AND
  // <include recall/scope events>
RETURN collect([
  // <event>
  e.node_id,
  e.group_id,
  e.video_id,
  e.clip_ids,
  e.ordinal,
  e.time_start,
  e.time_end,
  e.summary_text,
  e.dialogue_snippets,
  e.persons,
  e.objects,
  e.scene_type,
  e.actions,
  toInteger(floor(e.at.epochMillis / 1000.0)),  // at_seconds
  e.at.microsecond,  // at_microsecond
  coalesce(e.heard, false),
  coalesce(e.derived, false),
  coalesce(e.spatial_descriptions, []),
  c.uri
  // </event>
]) AS events
// </rows>
