// In how many events each person, object, place or day is, and the first and the last of them; the most first.
// One row without a name if none is on the page; no row if there is none at all.
// The places of events without one are their videos. Events without a wall clock are of no day. Names that are only said are
// not counted (show/listed.cypher).
// params: group_id, by (person, object, place or day), zone, start, limit, seconds, clock, known_at (as recall/scope.cypher)
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND
  // <include recall/scope then>
CALL (e) {
  MATCH (e)-[:INVOLVES]->(p:Person) WHERE $by = 'person' RETURN p.person_id AS name, p
  UNION
  MATCH (e)-[:USES]->(o:Object) WHERE $by = 'object' RETURN o.name AS name, null AS p
  UNION
  MATCH (v:Video {group_id: $group_id, video_id: e.video_id}) WHERE $by = 'place'
  RETURN coalesce(v.place, e.video_id) AS name, null AS p
  UNION
  WITH e WHERE $by = 'day' AND e.at IS NOT NULL
  RETURN toString(date(datetime({datetime: e.at, timezone: $zone}))) AS name, null AS p
}
WITH name, p, collect(e) AS events
WHERE p IS NULL OR
  // <include show/listed listed>
UNWIND events AS e
WITH name, count(DISTINCT e) AS events, count(DISTINCT e.video_id) AS videos, min(e.at) AS first_at, max(e.at) AS last_at
WITH collect({name: name, events: events, videos: videos, first_at: first_at, last_at: last_at}) AS counts
WITH counts, size(counts) AS total WHERE total > 0
OPTIONAL CALL (counts) {
  UNWIND counts AS row
  RETURN row.name AS name, row.events AS events, row.videos AS videos, row.first_at AS first_at, row.last_at AS last_at
  ORDER BY CASE WHEN $by = 'day' THEN 0 ELSE -row.events END, name SKIP $start LIMIT $limit
}
RETURN name, events, videos, first_at, last_at, total
ORDER BY CASE WHEN $by = 'day' THEN 0 ELSE -events END, name
