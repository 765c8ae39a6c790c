// Who is known: each person with the number of events and videos, and the event seen last, the most seen first;
// and how many they are. Names that are only said are none (show/listed.cypher).
// params: group_id, begins, start, limit, is_now, seconds, clock, known_at (recall/scope.cypher)
// One row without a person if none is on the page; no row if there is none at all.
// begins: of the name, in lower case; may be empty. start: how many come before the page.
// is_now: no moment is given; else only what had an event by then.
// The last event is the latest by the wall clock; if no event knows it, the one that memory took in last.
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id IS NOT NULL AND toLower(coalesce(p.name, p.person_id)) STARTS WITH $begins AND NOT EXISTS { (p)-[:MERGED_INTO]->(:Person) }
  AND ($is_now OR EXISTS { MATCH (p)<-[:INVOLVES]-(e:Event) WHERE
  // <include recall/scope then>
  }) AND
  // <include show/listed listed>
CALL (p) {
  MATCH (p)<-[:INVOLVES]-(e:Event) WHERE
  // <include recall/scope then>
  WITH DISTINCT e ORDER BY e.at IS NULL, e.at DESC, e.node_id DESC
  RETURN count(e) AS events, count(DISTINCT e.video_id) AS videos, collect(e)[0] AS last
}
WITH {person_id: p.person_id, scope: p.scope, name: p.name,
      also: COLLECT { MATCH (p)<-[:MERGED_INTO*1..]-(q:Person) RETURN q.person_id ORDER BY q.person_id, q.scope },
      events: events, videos: videos, last: last} AS row
ORDER BY row.events DESC, row.person_id, row.scope
WITH collect(row) AS found
WITH found, size(found) AS total WHERE total > 0
OPTIONAL CALL (found) { UNWIND found AS row RETURN row SKIP $start LIMIT $limit }
RETURN row.person_id AS person_id, row.scope AS scope, row.name AS name, row.also AS also, row.events AS events, row.videos AS videos,
       row.last.node_id AS last_event, row.last.video_id AS last_video, row.last.time_start AS last_time, row.last.at AS last_at, total
ORDER BY events DESC, person_id, scope
