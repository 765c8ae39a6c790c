// Write new clips with their receipts, events and embeddings; their videos are there (ingest/write_videos).
// params: group_id, model, dim, next_id, next_seq, clips [{video_id, clip_id, clip, usage, events ...}], now
// next_id, next_seq: what the counters are after this commit. events: {props, at (ISO 8601), plain_text, owner, seq, vector} each.
// Planned once: its plan does not depend on the size of the graph (a test compares the plans).
CYPHER replan=skip
MATCH (ids:Counter {name: 'node_id'})
SET ids.next = $next_id
WITH ids
MATCH (seqs:Counter {name: 'embedding_seq'})
SET seqs.next = $next_seq
WITH seqs
UNWIND $clips AS row
MATCH (v:Video {group_id: $group_id, video_id: row.video_id})
MERGE (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})
SET c += row.clip, c.status = 'committed', c.attempts = coalesce(c.attempts, 0) + 1, c.committed_at = $now
FOREACH (_ IN CASE WHEN row.usage.calls > 0 THEN [1] ELSE [] END |
  SET c.calls = coalesce(c.calls, 0) + row.usage.calls, c.unpriced = coalesce(c.unpriced, 0) + row.usage.unpriced,
      c.tokens_in = coalesce(c.tokens_in, 0) + row.usage.tokens_in,
      c.tokens_out = coalesce(c.tokens_out, 0) + row.usage.tokens_out,
      c.cost_usd = coalesce(c.cost_usd, 0.0) + row.usage.cost_usd)
MERGE (c)-[of:OF_VIDEO]->(v) ON CREATE SET of.group_id = $group_id, of.created_at = $now
WITH c, row
UNWIND row.events AS event
CREATE (e:Event)-[:IN_CLIP {group_id: $group_id, created_at: $now}]->(c)
SET e = event.props, e.at = datetime(event.at), e.created_at = $now
FOREACH (_ IN CASE WHEN event.plain_text THEN [1] ELSE [] END | SET e:PlainText)
CREATE (:Embedding {kind: 'event', owner: event.owner, model: $model, group_id: $group_id, seq: event.seq, dim: $dim,
                    data: event.vector, created_at: $now})
