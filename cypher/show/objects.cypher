// What is known: each object with the number of events and videos, the event seen last and its state since, the most used
// first; and how many they are.
// params: group_id, begins, start, limit, is_now, seconds, clock, known_at (recall/scope.cypher)
// One row without an object if none is on the page; no row if there is none at all.
// begins: of the name, in lower case; may be empty. start: how many come before the page.
// is_now: no moment is given; else only what had an event by then.
// The last event is the latest by the wall clock; if no event knows it, the one that memory took in last.
MATCH (o:Object)
WHERE o.group_id = $group_id AND o.name IS NOT NULL AND toLower(o.name) STARTS WITH $begins
  AND ($is_now OR EXISTS { MATCH (o)<-[:USES]-(e:Event) WHERE
  // <include recall/scope then>
  })
CALL (o) {
  MATCH (o)<-[u:USES]-(e:Event) WHERE
  // <include recall/scope then>
  WITH e, u ORDER BY u.seq DESC
  WITH e, [state IN collect(u.to_state) WHERE state IS NOT NULL][0] AS state ORDER BY e.at IS NULL, e.at DESC, e.node_id DESC
  RETURN count(e) AS events, count(DISTINCT e.video_id) AS videos, collect(e)[0] AS last, collect(state)[0] AS state
}
WITH {name: o.name, place: o.place, words: o.words, events: events, videos: videos, state: state, last: last} AS row
ORDER BY row.events DESC, row.name, row.place
WITH collect(row) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS row RETURN row SKIP $start LIMIT $limit }
RETURN row.name AS name, row.place AS place, row.words AS words, row.events AS events, row.videos AS videos, row.state AS state,
       row.last.node_id AS last_event, row.last.video_id AS last_video, row.last.time_start AS last_time, row.last.at AS last_at, total
ORDER BY events DESC, name, place
