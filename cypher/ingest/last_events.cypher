// The last event of each chain: of videos, of persons and of objects on their timelines.
// params: group_id, videos, persons, objects (keys of chains)
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
RETURN
  COLLECT {
    UNWIND $videos AS key
    CALL (key) {
      MATCH (e:Event)
      WHERE e.group_id = $group_id AND e.video_id = key AND e.position < '~'
      RETURN e ORDER BY e.group_id DESC, e.video_id DESC, e.position DESC LIMIT 1
    }
    RETURN {key: key, last: e {.position, .node_id, start: e.time_start, end: e.time_end, clock: e.clock_start}}
  } AS videos,
  COLLECT {
    UNWIND $persons AS key
    CALL (key) {
      MATCH (e:Event)-[r:INVOLVES]->(:Person) WHERE r.key = key AND r.position < '~'
      RETURN e ORDER BY r.key DESC, r.position DESC LIMIT 1
    }
    RETURN {key: key, last: e {.position, .node_id, start: e.time_start, end: e.time_end, clock: e.clock_start}}
  } AS persons,
  COLLECT {
    UNWIND $objects AS key
    CALL (key) {
      MATCH (e:Event)-[r:USES]->(:Object) WHERE r.key = key AND r.position < '~'
      RETURN e ORDER BY r.key DESC, r.position DESC LIMIT 1
    }
    RETURN {key: key, last: e {.position, .node_id, start: e.time_start, end: e.time_end, clock: e.clock_start}}
  } AS objects
