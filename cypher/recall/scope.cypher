// The scope of a read, as a condition. Not a statement: the others include it.
// params: events: group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py); turns: group_id, user_id,
//   session_ids, persons, since, until, as_of (seconds since 1970), ranges [[from, until]], known_at

// Event e. Empty lists do not filter. `events` also admits events that were superseded after known_at. `current_events` is
// for patterns that match the label Event alone.
// <events>
// <current_events>
  e.group_id = $group_id AND (size($video_ids) = 0 OR e.video_id IN $video_ids)
  AND e.time_end >= $seconds.since AND e.time_start <= $seconds.until AND e.time_end <= $seconds.as_of
  AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start <= $clock.until
       AND e.clock_start + e.time_end - e.time_start >= $clock.since
       AND e.clock_start + e.time_end - e.time_start <= $clock.as_of
       AND (size($clock.ranges) = 0 OR any(range IN $clock.ranges WHERE e.clock_start <= range[1]
            AND e.clock_start + e.time_end - e.time_start >= range[0])))
  AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($persons) = 0 OR EXISTS {
       MATCH (e)-[:INVOLVES]->(scoped:Person) WHERE scoped.group_id = $group_id AND scoped.person_id IN $persons })
// </current_events>
  AND (e:Event OR e.superseded_at > $known_at)
// </events>

// Event e of any kind, by a moment: seconds of its video, or clock (seconds since 1970; null for none).
// <then>
  e.time_end <= $seconds AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND ($clock IS NULL OR e.at IS NOT NULL AND e.clock_start + e.time_end - e.time_start <= $clock)
// </then>

// Clip c of video v, by such a moment: memory knew it by then, whether it was committed or failed.
// <clip_then>
  c.t_end <= $seconds AND ($known_at IS NULL OR coalesce(c.committed_at, c.failed_at) <= $known_at)
  AND ($clock IS NULL OR v.recorded_at IS NOT NULL AND v.recorded_at.epochMillis / 1000.0 + c.t_end <= $clock)
// </clip_then>

// Episode e, a turn of a conversation.
// <turns>
  e.group_id = $group_id AND e.user_id = $user_id AND e.unrecalled IS NULL
  AND e.clock >= $since AND e.clock <= $until AND e.clock <= $as_of
  AND (size($ranges) = 0 OR any(range IN $ranges WHERE range[0] <= e.clock <= range[1])) AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($session_ids) = 0 OR e.session_id IN $session_ids) AND (size($persons) = 0 OR e.actor_id IN $persons)
// </turns>

// Fact f as a user's memory believed it: now if as_of and known_at are null; else by what had been said by as_of (seconds
// since 1970) and what memory had learnt by known_at. Of what is no longer believed, the end must have been known by then.
// <believed>
  CASE WHEN $as_of IS NULL AND $known_at IS NULL
  THEN f.status IN ['active', 'pending_embed'] AND (f.ends_at IS NULL OR f.ends_at > datetime())
  ELSE NOT f.status IN ['candidate', 'merged_into'] AND ($known_at IS NULL OR f.created_at <= $known_at)
    AND ($as_of IS NULL OR f.valid_at.epochMillis / 1000.0 <= $as_of)
    AND (f.ends_at IS NULL OR f.ends_at.epochMillis / 1000.0 > coalesce($as_of, $known_at.epochMillis / 1000.0))
    // What only faded has no link to what ended it.
    AND (f.status IN ['active', 'pending_embed'] OR EXISTS { (f)-[:TAKEN_BACK_IN|CONTRADICTS]-() }
         OR f.archived_at.epochMillis / 1000.0 > coalesce($as_of, $known_at.epochMillis / 1000.0))
    // It was stated, and since then neither taken back, nor replaced by what was said later, nor corrected by hand; or what
    // stated it was forgotten, and it stayed. What somebody wished to be forgotten is not told of before the wish either.
    AND (f.status = 'active' AND NOT EXISTS { (f)-[:DERIVED_FROM]->() } OR EXISTS {
      MATCH (f)-[d:DERIVED_FROM]->(e)
      WHERE ($as_of IS NULL OR d.at.epochMillis / 1000.0 <= $as_of) AND ($known_at IS NULL OR e.created_at <= $known_at)
        AND NOT EXISTS {
          MATCH (f)-[t:TAKEN_BACK_IN]->(wish:Episode)
          WHERE t.at.epochMillis >= d.at.epochMillis AND (wish.unrecalled
            OR ($as_of IS NULL OR t.at.epochMillis / 1000.0 <= $as_of) AND ($known_at IS NULL OR t.created_at <= $known_at)) }
        AND NOT EXISTS {
          MATCH (f)-[c:CONTRADICTS {resolution: 'newer'}]-(:Fact)-[s:DERIVED_FROM]->(o)
          WHERE (s.at.epochMillis > d.at.epochMillis OR s.at.epochMillis = d.at.epochMillis AND o.vector_id > e.vector_id)
            AND ($as_of IS NULL OR s.at.epochMillis / 1000.0 <= $as_of)
            AND ($known_at IS NULL OR o.created_at <= $known_at) }
        AND NOT EXISTS {
          MATCH (f)<-[c:CONTRADICTS]-(:Fact)
          WHERE c.resolution IN ['hand', 'pinned', 'model'] AND ($as_of IS NULL OR c.at.epochMillis / 1000.0 <= $as_of)
            AND ($known_at IS NULL OR c.created_at <= $known_at) }
    })
  END
// </believed>
