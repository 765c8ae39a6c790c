// Who is known: each person with the number of events and videos, and the event seen last, the most seen first;
// and how many they are.
// params: group_id, begins, start, limit, is_now, seconds, clock, known_at (recall/scope.cypher)
// begins: of the name, in lower case; may be empty. start: how many come before the page.
// is_now: no moment is given; else only what had an event by then.
// The last event is the latest by the wall clock; if no event knows it, the one that memory took in last.
CALL () {
  MATCH (p:Person)
  WHERE p.group_id = $group_id AND p.person_id IS NOT NULL AND toLower(coalesce(p.name, p.person_id)) STARTS WITH $begins AND NOT EXISTS { (p)-[:MERGED_INTO]->(:Person) }
  AND ($is_now OR EXISTS { MATCH (p)<-[:INVOLVES]-(e:Event) WHERE
  // <include recall/scope then>
  })
  RETURN count(p) AS total
}
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id IS NOT NULL AND toLower(coalesce(p.name, p.person_id)) STARTS WITH $begins AND NOT EXISTS { (p)-[:MERGED_INTO]->(:Person) }
  AND ($is_now OR EXISTS { MATCH (p)<-[:INVOLVES]-(e:Event) WHERE
  // <include recall/scope then>
  })
CALL (p) {
  MATCH (p)<-[:INVOLVES]-(e:Event) WHERE
  // <include recall/scope then>
  WITH DISTINCT e ORDER BY e.at IS NULL, e.at DESC, e.node_id DESC
  RETURN count(e) AS events, count(DISTINCT e.video_id) AS videos, collect(e)[0] AS last
}
RETURN p.person_id AS person_id, p.scope AS scope, p.name AS name,
       COLLECT { MATCH (p)<-[:MERGED_INTO*1..]-(q:Person) RETURN q.person_id ORDER BY q.person_id, q.scope } AS also,
       events, videos, last.node_id AS last_event, last.video_id AS last_video, last.time_start AS last_time, last.at AS last_at,
       total
ORDER BY events DESC, person_id, scope SKIP $start LIMIT $limit
