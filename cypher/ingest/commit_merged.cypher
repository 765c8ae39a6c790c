// Write merged events, and MERGED_INTO from the superseded events they replace.
// params: model, dim, events [{props, clip_ids, parts, longest, involvements, uses ...}], jump_gap, now
// Planning takes seconds and its result does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (seqs:Counter {name: 'embedding_seq'}) ON CREATE SET seqs.next = 0
// <include ingest/lock ids>
// <include ingest/lock event_seqs>
WITH ids, seqs, ids.next AS first_id, seqs.next AS first_seq
SET ids.next = first_id + size($events), seqs.next = first_seq + size($events)

WITH first_id, first_seq
CALL (first_id, first_seq) {
  UNWIND range(0, size($events) - 1) AS i
  WITH $events[i] AS row, first_id + i AS node_id, first_seq + i AS seq
  MATCH (c:Clip {group_id: row.props.group_id, video_id: row.props.video_id, clip_id: row.props.clip_id})
        -[:OF_VIDEO]->(v:Video)
  SET v.longest = CASE WHEN v.longest >= row.longest THEN v.longest ELSE row.longest END
  WITH row, node_id, seq, c, v
  MERGE (e:Event {node_id: node_id})
  SET e += row.props, e.created_at = $now, v.last_node_id = node_id
  FOREACH (_ IN CASE WHEN row.plain_text THEN [1] ELSE [] END | SET e:PlainText)
  MERGE (c)<-[in:IN_CLIP]-(e) ON CREATE SET in.group_id = e.group_id, in.created_at = $now
  MERGE (m:Embedding {kind: 'event', owner: toString(node_id), model: $model})
  SET m.group_id = e.group_id, m.seq = seq, m.dim = $dim, m.data = row.vector, m.created_at = $now
  WITH e, row, v

  // <chains>
  // TEMPORAL: from the previous event of its video, and to the next one.
  CALL (e) {
    OPTIONAL CALL (e) {
      MATCH (before:Event)
      WHERE before.group_id = e.group_id AND before.video_id = e.video_id AND before.position < e.position
      RETURN before ORDER BY before.group_id DESC, before.video_id DESC, before.position DESC LIMIT 1
    }
    OPTIONAL CALL (e) {
      MATCH (after:Event)
      WHERE after.group_id = e.group_id AND after.video_id = e.video_id AND after.position > e.position
      RETURN after ORDER BY after.group_id, after.video_id, after.position LIMIT 1
    }
    OPTIONAL MATCH (before)-[passed:TEMPORAL]->(later:Event) WHERE later.position > e.position
    DELETE passed
    WITH DISTINCT e, before, after
    WITH [stop IN [before, CASE WHEN e:Event THEN e END, after] WHERE stop IS NOT NULL] AS stops
    UNWIND range(1, size(stops) - 1) AS i
    WITH stops[i - 1] AS src, stops[i] AS dst
    MERGE (src)-[t:TEMPORAL]->(dst) ON CREATE SET t.group_id = src.group_id, t.created_at = $now
    SET t.time_gap = CASE WHEN dst.time_start > src.time_end
                          THEN round(dst.time_start - src.time_end, 3) ELSE 0.0 END
  }
  // </chains>

  // <sounds>
  // CROSS_MODAL: from a sound to the events seen while it is heard. A position begins with start and end, 20 digits each, in
  // microseconds; what began longer ago than the video's longest event lasts is over.
  CALL (e, v) {
    WITH e, v WHERE v.heard
    MATCH (other:Event)
    WHERE other.group_id = e.group_id AND other.video_id = e.video_id AND other.heard <> e.heard
      AND other.position >= right('00000000000000000000'
            + toString(CASE WHEN toInteger(left(e.position, 20)) > v.longest
                            THEN toInteger(left(e.position, 20)) - v.longest ELSE 0 END), 20)
      AND other.position < right('00000000000000000000' + toString(toInteger(substring(e.position, 21, 20)) + 1), 20)
    WITH CASE WHEN e.heard THEN e ELSE other END AS sound, CASE WHEN e.heard THEN other ELSE e END AS seen
    WITH sound, seen, sound.time_end - sound.time_start AS sounding, seen.time_end - seen.time_start AS showing,
         CASE WHEN sound.time_end < seen.time_end THEN sound.time_end ELSE seen.time_end END
         - CASE WHEN sound.time_start > seen.time_start THEN sound.time_start ELSE seen.time_start END AS shared
    WITH sound, seen, shared, CASE WHEN sounding < showing THEN sounding ELSE showing END AS shorter
    WHERE shared > 0 OR (shared = 0 AND shorter = 0)
    MERGE (sound)-[x:CROSS_MODAL {kind: 'sound', subject: left(sound.summary_text, 200)}]->(seen)
      ON CREATE SET x.group_id = sound.group_id, x.created_at = $now
    SET x.evidence = 'overlap', x.overlap = round(shared, 3),
        x.confidence = CASE WHEN shorter > 0 THEN round(shared / shorter, 3) ELSE 1.0 END
  }
  // </sounds>

  CALL (e, row) {
    UNWIND row.involvements AS part
    MERGE (p:Person {group_id: e.group_id, scope: part.scope, person_id: part.person_id})
      ON CREATE SET p.created_at = $now, p.name = part.name
    MERGE (e)-[r:INVOLVES {role: part.props.role, stated: part.props.stated}]->(p)
    SET r += part.props, r.created_at = $now
  }

  // <chains>
  // ENTITY_JUMP: from the last event with this person, over a gap longer than jump_gap.
  CALL (e) {
    MATCH (e)-[r:INVOLVES]->(p:Person)
    WITH DISTINCT e, r.key AS key, p.person_id AS person
    CALL (e, key, person) {
      OPTIONAL CALL (e, key) {
        MATCH (before:Event)-[r:INVOLVES]->(:Person) WHERE r.key = key AND r.position < e.position
        RETURN before ORDER BY r.key DESC, r.position DESC LIMIT 1
      }
      OPTIONAL CALL (e, key) {
        MATCH (after:Event)-[r:INVOLVES]->(:Person) WHERE r.key = key AND r.position > e.position
        RETURN after ORDER BY r.key, r.position LIMIT 1
      }
      OPTIONAL MATCH (before)-[passed:ENTITY_JUMP {key: key}]->(later:Event) WHERE later.position > e.position
      FOREACH (_ IN CASE WHEN passed IS NULL THEN [] ELSE [1] END |
        SET e.unlinked = coalesce(e.unlinked, []) + [before.node_id, later.node_id])
      DELETE passed
      WITH DISTINCT e, key, person, before, after
      WITH key, person, [stop IN [before, CASE WHEN e:Event THEN e END, after] WHERE stop IS NOT NULL] AS stops
      UNWIND range(1, size(stops) - 1) AS i
      WITH key, person, stops[i - 1] AS src, stops[i] AS dst
      WITH key, person, src, dst, dst.clock_start - (src.clock_start + src.time_end - src.time_start) AS gap
      WHERE gap > $jump_gap
      MERGE (src)-[j:ENTITY_JUMP {key: key}]->(dst)
        ON CREATE SET j.person = person, j.group_id = src.group_id, j.created_at = $now
      SET j.time_gap = round(gap, 3)
    }
  }

  // CROSS_MODAL: from a voice to the nearest events, before and after it in its video, where its person is seen. An
  // event that shows the person takes over the voices around it that it is now nearest to.
  CALL (e, v) {
    WITH e, v WHERE v.voices
    MATCH (e)-[own:INVOLVES]->(p:Person) WHERE own.seen IS NOT NULL OR own.heard IS NOT NULL
    WITH DISTINCT e, p.person_id AS person, own.key AS key, coalesce(own.seen, own.heard) AS whose, own.seen IS NOT NULL AS is_seen
    CALL (e, person, key, whose, is_seen) {
      OPTIONAL CALL (e, whose) {
        MATCH (before:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = whose AND r.position < e.position
        RETURN before ORDER BY r.seen DESC, r.position DESC LIMIT 1
      }
      OPTIONAL CALL (e, whose) {
        MATCH (after:Event)-[r:INVOLVES]->(:Person) WHERE r.seen = whose AND r.position > e.position
        RETURN after ORDER BY r.seen, r.position LIMIT 1
      }
      WITH e, person, key, whose, before, after,
           CASE WHEN is_seen THEN coalesce(before.position, '') ELSE e.position END AS from_position,
           CASE WHEN is_seen THEN coalesce(after.position, '~') ELSE e.position END AS to_position,
           [stop IN [before, CASE WHEN is_seen AND e:Event THEN e END, after] WHERE stop IS NOT NULL] AS stops
      MATCH (voice:Event)-[r:INVOLVES]->(:Person)
      WHERE r.heard = whose AND r.position >= from_position AND r.position <= to_position
      WITH e, person, key, stops, voice, r ORDER BY coalesce(r.confidence, 0) DESC, r.evidence
      WITH e, person, key, stops, voice, collect(r)[0] AS best
      OPTIONAL MATCH (voice)-[passed:CROSS_MODAL {kind: 'person', key: key}]->(other:Event)
      WHERE e:Event AND (voice.position < e.position AND e.position < other.position
                         OR voice.position > e.position AND e.position > other.position)
      FOREACH (_ IN CASE WHEN passed IS NULL THEN [] ELSE [1] END |
        SET e.unlinked = coalesce(e.unlinked, []) + [voice.node_id, other.node_id])
      DELETE passed
      WITH DISTINCT person, key, voice, best, [last([s IN stops WHERE s.position < voice.position]),
                                               head([s IN stops WHERE s.position > voice.position])] AS nearest
      UNWIND [s IN nearest WHERE s IS NOT NULL] AS sight
      MERGE (voice)-[x:CROSS_MODAL {kind: 'person', key: key}]->(sight)
        ON CREATE SET x.subject = person, x.group_id = voice.group_id, x.created_at = $now
      SET x.evidence = best.evidence, x.confidence = best.confidence
    }
  }
  // </chains>

  CALL (e, row) {
    UNWIND row.uses AS use
    MERGE (o:Object {group_id: e.group_id, place: row.place, name: use.name}) ON CREATE SET o.created_at = $now
    SET o.words = coalesce(use.words, o.words, use.name)
    MERGE (e)-[r:USES {seq: use.props.seq}]->(o)
    SET r += use.props, r.created_at = $now
  }

  // <chains>
  // OBJECT_LIFECYCLE: from the last earlier event with the object, where an action changes its state.
  CALL (e) {
    MATCH (e)-[r:USES]->(o:Object)
    WITH DISTINCT e, r.key AS key, o.name AS object
    CALL (e, key, object) {
      OPTIONAL CALL (e, key) {
        MATCH (before:Event)-[r:USES]->(:Object) WHERE r.key = key AND r.position < e.position
        RETURN before ORDER BY r.key DESC, r.position DESC LIMIT 1
      }
      OPTIONAL CALL (e, key) {
        MATCH (after:Event)-[r:USES]->(:Object) WHERE r.key = key AND r.position > e.position
        RETURN after ORDER BY r.key, r.position LIMIT 1
      }
      OPTIONAL MATCH (before)-[passed:OBJECT_LIFECYCLE {object: object}]->(later:Event) WHERE later.position > e.position
      FOREACH (_ IN CASE WHEN passed IS NULL THEN [] ELSE [1] END |
        SET e.unlinked = coalesce(e.unlinked, []) + [before.node_id, later.node_id])
      DELETE passed
      WITH DISTINCT e, key, object, before, after
      WITH key, object, [stop IN [before, CASE WHEN e:Event THEN e END, after] WHERE stop IS NOT NULL] AS stops
      UNWIND range(1, size(stops) - 1) AS i
      WITH key, object, stops[i - 1] AS src, stops[i] AS dst
      MATCH (dst)-[change:USES]->(:Object) WHERE change.key = key AND change.to_state IS NOT NULL
      WITH object, src, dst, change ORDER BY change.seq DESC
      WITH object, src, dst, collect(change)[0] AS change
      MERGE (src)-[l:OBJECT_LIFECYCLE {object: object}]->(dst)
        ON CREATE SET l.group_id = src.group_id, l.created_at = $now
      SET l.verb = change.verb, l.actor = change.actor, l.from_state = change.from_state,
          l.to_state = change.to_state, l.spatial_relation = change.spatial_relation,
          l.time_gap = CASE WHEN dst.clock_start > src.clock_start + src.time_end - src.time_start
                            THEN round(dst.clock_start - (src.clock_start + src.time_end - src.time_start), 3)
                            ELSE 0.0 END
    }
  }
  // </chains>
  CALL (e, row) {
    UNWIND row.props.clip_ids AS clip_id
    MATCH (other:Clip {group_id: e.group_id, video_id: e.video_id, clip_id: clip_id})
    MERGE (other)<-[in:IN_CLIP]-(e) ON CREATE SET in.group_id = e.group_id, in.created_at = $now
  }
  CALL (e, row) {
    UNWIND row.parts AS part
    MATCH (old:SupersededEvent {node_id: part})
    MERGE (old)-[into:MERGED_INTO]->(e) ON CREATE SET into.group_id = e.group_id, into.at = $now, into.created_at = $now
  }
}
RETURN first_id
