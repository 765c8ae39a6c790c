// The events before and after positions in chains: of videos, of persons and of objects on their timelines.
// params: group_id, videos, persons, objects ([{key, position}] each)
// The event after a use of an object comes with the changes that it makes to the object.
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
RETURN
  COLLECT {
    UNWIND $videos AS member
    WITH member.key AS key, member.position AS position
    OPTIONAL CALL (key, position) {
      MATCH (before:Event)
      WHERE before.group_id = $group_id AND before.video_id = key AND before.position < position
      RETURN before ORDER BY before.group_id DESC, before.video_id DESC, before.position DESC LIMIT 1
    }
    OPTIONAL CALL (key, position) {
      MATCH (after:Event)
      WHERE after.group_id = $group_id AND after.video_id = key AND after.position > position
      RETURN after ORDER BY after.group_id, after.video_id, after.position LIMIT 1
    }
    RETURN {
      key: key, position: position,
      before: before {.position, .node_id, start: before.time_start, end: before.time_end, clock: before.clock_start},
      after: after {.position, .node_id, start: after.time_start, end: after.time_end, clock: after.clock_start}}
  } AS videos,
  COLLECT {
    UNWIND $persons AS member
    WITH member.key AS key, member.position AS position
    OPTIONAL CALL (key, position) {
      MATCH (before:Event)-[r:INVOLVES]->(:Person) WHERE r.key = key AND r.position < position
      RETURN before ORDER BY r.key DESC, r.position DESC LIMIT 1
    }
    OPTIONAL CALL (key, position) {
      MATCH (after:Event)-[r:INVOLVES]->(:Person) WHERE r.key = key AND r.position > position
      RETURN after ORDER BY r.key, r.position LIMIT 1
    }
    RETURN {
      key: key, position: position,
      before: before {.position, .node_id, start: before.time_start, end: before.time_end, clock: before.clock_start},
      after: after {.position, .node_id, start: after.time_start, end: after.time_end, clock: after.clock_start}}
  } AS persons,
  COLLECT {
    UNWIND $objects AS member
    WITH member.key AS key, member.position AS position
    OPTIONAL CALL (key, position) {
      MATCH (before:Event)-[r:USES]->(:Object) WHERE r.key = key AND r.position < position
      RETURN before ORDER BY r.key DESC, r.position DESC LIMIT 1
    }
    OPTIONAL CALL (key, position) {
      MATCH (after:Event)-[r:USES]->(:Object) WHERE r.key = key AND r.position > position
      RETURN after ORDER BY r.key, r.position LIMIT 1
    }
    RETURN {
      key: key, position: position,
      before: before {.position, .node_id, start: before.time_start, end: before.time_end, clock: before.clock_start},
      after: after {.position, .node_id, start: after.time_start, end: after.time_end, clock: after.clock_start},
      changes: COLLECT {
        MATCH (after)-[change:USES]->(:Object) WHERE change.key = key AND change.to_state IS NOT NULL
        WITH change ORDER BY change.seq
        RETURN change {.seq, .verb, .actor, .from_state, .to_state, .spatial_relation}
      }}
  } AS objects
