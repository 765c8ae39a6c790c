// Create a lost group, lost videos and lost sessions again from the nodes that belong to them. What only they held stays
// unknown. Videos, and the first clip of each, are marked as damaged: when that clip is taken in again, the video gets it back.
// params: group_id, parents [{kind, name, user_id}], language, model, dim, now
// language, model, dim: for a group; model and dim where none of its embeddings is left. With null it stays lost then.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
WITH ids
CALL () {
  UNWIND [row IN $parents WHERE row.kind = 'group'] AS row
  OPTIONAL CALL () {
    MATCH (e:Event)
    WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
    MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE m.model IS NOT NULL
    RETURN m.model AS model, m.dim AS dim LIMIT 1
    UNION
    MATCH (t:Episode)
    WHERE t.group_id = $group_id AND t.user_id IS NOT NULL AND t.clock IS NOT NULL
    MATCH (m:Embedding {kind: 'episode', owner: toString(t.vector_id)}) WHERE m.model IS NOT NULL
    RETURN m.model AS model, m.dim AS dim LIMIT 1
  }
  WITH coalesce(model, $model) AS model, coalesce(dim, $dim) AS dim LIMIT 1
  WHERE model IS NOT NULL
  MERGE (g:Group {group_id: $group_id})
    ON CREATE SET g.embedding_model = model, g.embedding_dim = dim, g.languages = [$language], g.created_at = $now
}
CALL () {
  UNWIND [row IN $parents WHERE row.kind = 'video'] AS row
  MERGE (v:Video {group_id: $group_id, video_id: row.name}) ON CREATE SET v.created_at = $now, v.damaged = true
  WITH v
  CALL (v) {
    MATCH (e:Event)
    WHERE e.group_id = $group_id AND e.video_id = v.video_id AND e.position IS NOT NULL
    RETURN max(e.node_id) AS last_node_id, max(toInteger(round((e.time_end - e.time_start) * 1000000))) AS longest,
           max(e.at - duration({microseconds: toInteger(round(e.time_start * 1000000))})) AS recorded_at,
           max(coalesce(e.heard, false)) AS heard, max(head(COLLECT { MATCH (e)-[:USES]->(o:Object) RETURN o.place LIMIT 1 })) AS place,
           max(EXISTS { MATCH (e)-[r:INVOLVES]->() WHERE r.heard IS NOT NULL }) AS voices
  }
  CALL (v) {
    MATCH (c:Clip)
    WHERE c.group_id = $group_id AND c.video_id = v.video_id AND c.clip_id IS NOT NULL
    MERGE (c)-[of:OF_VIDEO]->(v) ON CREATE SET of.group_id = $group_id, of.created_at = $now
    WITH v, c ORDER BY c.t_start, c.clip_id
    WITH v, max(c.uri) AS uri,
         [c IN collect(c) WHERE c.status = 'committed' AND NOT c.clip_id STARTS WITH 'explored-'] AS clips
    FOREACH (first IN CASE WHEN v.damaged THEN clips[..1] ELSE [] END | SET first.damaged = true)
    RETURN max(uri) AS uri // one row also where no clip names the video, but only an event does
  }
  SET v.place = coalesce(v.place, place, v.video_id), v.recorded_at = coalesce(v.recorded_at, recorded_at),
      v.last_node_id = coalesce(v.last_node_id, last_node_id), v.longest = coalesce(v.longest, longest, 0),
      v.heard = coalesce(v.heard, heard, false), v.voices = coalesce(v.voices, voices, false), v.uri = coalesce(v.uri, uri)
}
CALL () {
  UNWIND [row IN $parents WHERE row.kind = 'session'] AS row
  CALL (row) {
    MATCH (t:Episode)
    WHERE t.group_id = $group_id AND t.user_id = row.user_id AND t.session_id = row.name AND t.turn IS NOT NULL
    RETURN max(t.turn) AS last
  }
  MERGE (s:Session {group_id: $group_id, user_id: row.user_id, session_id: row.name})
    ON CREATE SET s.created_at = $now, s.next_turn = last + 1
}
CALL () {
  // From -1 on everything is read again, which changes nothing that was read before. Counts of use begin anew.
  UNWIND [row IN $parents WHERE row.kind = 'upkeep of facts'] AS row
  MERGE (u:FactUpkeep {group_id: $group_id, user_id: row.user_id}) ON CREATE SET u.read_to = -1, u.created_at = $now
}
