// The turns with the given vector ids that are in the scope.
// params: vector_ids, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), ranges, known_at
// begun, ended: the other half of a turn that was cut in two, which is read as one.
// One record holds all rows, because the driver takes 50 us per record. floor: epochSeconds rounds towards 1970.
UNWIND $vector_ids AS vector_id
MATCH (e:Episode {vector_id: vector_id})
WHERE
  // <include recall/scope turns>
RETURN collect([
  // <turn>
  e.vector_id,
  e.episode_id,
  e.session_id,
  e.turn,
  e.turn_id,
  e.actor,
  e.content,
  e.continues,
  CASE WHEN e.continues THEN head(COLLECT { MATCH (b:Episode)-[:NEXT]->(e) WHERE b.turn = e.turn - 1 RETURN b.content }) END,  // begun
  head(COLLECT { MATCH (e)-[:NEXT]->(n:Episode) WHERE n.continues AND n.turn = e.turn + 1 RETURN n.content }),  // ended
  e.shown,
  toInteger(floor(e.valid_at.epochMillis / 1000.0)),  // seconds
  e.valid_at.microsecond,  // microsecond
  e.valid_at.offsetSeconds  // offset
  // </turn>
]) AS turns
