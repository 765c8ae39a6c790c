// Write new clips whole: videos, receipts, events, embeddings, persons, objects and edges.
// params: group_id, model, dim, plain_text, next_id, next_seq, now, stored, videos, clips, persons, objects, edges
// next_id, next_seq: what the counters are after this commit. plain_text: whether events are searched word for word.
// stored: node_ids of events that are there and get edges, in order. Times in seconds.
// `event`, `src` and `dst` are indexes into `events`: the stored events, then the new ones, each by node_id. A stored one that
// another transaction has deleted is null there, and gets no edge.
// videos [{video_id, props, longest (microseconds, of an event), heard, voices, last_node_id, since, until (of its events; null without)}]
// clips [{video_id, clip_id, receipt (null: it is stored already), usage, events [{props, at (ISO 8601), vector}]}]
// persons [{scope, person_id, name, voice (unit vector, or null), parts [{event, props}]}], objects [{place, name, words, uses [{event, props}]}]
// edges: as of ingest/write_edges
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
MATCH (ids:Counter {name: 'node_id'})
SET ids.next = $next_id
WITH ids
MATCH (seqs:Counter {name: 'embedding_seq'})
SET seqs.next = $next_seq
WITH COLLECT {
       UNWIND $stored AS node_id
       OPTIONAL MATCH (e:Event {node_id: node_id})
       RETURN e ORDER BY node_id
     } AS stored

// Videos: new ones whole, also those that a repair made again (integrity/restore_parents); of others what the clips change.
CALL () {
  UNWIND $videos AS row
  MERGE (v:Video {group_id: $group_id, video_id: row.video_id})
    ON CREATE SET v += row.props, v.created_at = $now
  FOREACH (_ IN CASE WHEN v.damaged THEN [1] ELSE [] END | SET v += row.props, v.damaged = null)
  SET v.longest = CASE WHEN v.longest >= row.longest THEN v.longest ELSE row.longest END,
      v.heard = coalesce(v.heard, false) OR row.heard, v.voices = coalesce(v.voices, false) OR row.voices,
      v.last_node_id = coalesce(row.last_node_id, v.last_node_id),
      // Here its scenes must be made again (store/write/scenes.py).
      v.scenes_since = CASE WHEN row.since IS NULL OR v.scenes_since <= row.since THEN v.scenes_since ELSE row.since END,
      v.scenes_until = CASE WHEN row.until IS NULL OR v.scenes_until >= row.until THEN v.scenes_until ELSE row.until END
}

// Clips with their receipts, events and embeddings.
CALL () {
  UNWIND $clips AS row
  MATCH (v:Video {group_id: $group_id, video_id: row.video_id})
  MERGE (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})
  FOREACH (_ IN CASE WHEN row.receipt IS NULL THEN [] ELSE [1] END |
    SET c += row.receipt, c.status = 'committed', c.attempts = coalesce(toIntegerOrNull(c.attempts), 0) + 1, c.committed_at = $now)
  FOREACH (_ IN CASE WHEN row.usage.calls > 0 THEN [1] ELSE [] END |
    SET c.calls = coalesce(toIntegerOrNull(c.calls), 0) + row.usage.calls, c.unpriced = coalesce(toIntegerOrNull(c.unpriced), 0) + row.usage.unpriced,
        c.tokens_in = coalesce(toIntegerOrNull(c.tokens_in), 0) + row.usage.tokens_in,
        c.tokens_out = coalesce(toIntegerOrNull(c.tokens_out), 0) + row.usage.tokens_out,
        c.cost_usd = coalesce(c.cost_usd, 0.0) + row.usage.cost_usd)
  MERGE (c)-[of:OF_VIDEO]->(v) ON CREATE SET of.group_id = $group_id, of.created_at = $now
  WITH c, row
  UNWIND row.events AS event
  CREATE (e:Event)-[:IN_CLIP {group_id: $group_id, created_at: $now}]->(c)
  SET e = event.props, e.at = datetime(event.at), e.created_at = $now
  FOREACH (_ IN CASE WHEN $plain_text THEN [1] ELSE [] END | SET e:PlainText)
  CREATE (:Embedding {kind: 'event', owner: toString(event.props.node_id), model: $model, group_id: $group_id,
                      seq: $next_seq - $next_id + event.props.node_id, dim: $dim, data: event.vector, created_at: $now})
  WITH e, event.props.node_id AS node_id ORDER BY node_id
  RETURN collect(e) AS made
}
WITH stored + made AS events

// Persons and objects, tied to their events.
CALL (events) {
  UNWIND $persons AS row
  MERGE (p:Person {group_id: $group_id, scope: row.scope, person_id: row.person_id})
    ON CREATE SET p.created_at = $now, p.name = row.name
  SET p.voice = coalesce(row.voice, p.voice)
  WITH events, p, row
  UNWIND row.parts AS part
  WITH p, part, events[part.event] AS e
  CREATE (e)-[r:INVOLVES]->(p)
  SET r = part.props, r.created_at = $now
}
CALL (events) {
  UNWIND $objects AS row
  MERGE (o:Object {group_id: $group_id, place: row.place, name: row.name}) ON CREATE SET o.created_at = $now
  SET o.words = coalesce(row.words, o.words, row.name)
  WITH events, o, row
  UNWIND row.uses AS part
  WITH o, part, events[part.event] AS e
  CREATE (e)-[r:USES]->(o)
  SET r = part.props, r.created_at = $now
}

// Edges between events.
// <include ingest/write_edges edges>
