// Delete at most `limit` nodes of a group, of a user, a session or a video, however damaged, and count those with texts.
// params: group_id, user_id, session_id, video_id (null: any), damaged, types, linked, limit, no_data
// A scan: what has lost a part of its key or a relationship is found neither by an index nor from its neighbours.
// types: {label: {property without which its nodes are damaged: [what valueType may call its value]}}. linked: types of our
// relationships.
// damaged: whether to delete only nodes that the other statements cannot find or delete. Those have lost another part of
// their key, or their group, video or user itself, and are then known by nodes they are linked to, by relationships of ours:
// another application may have linked its own. Where a relationship has lost the group, too, its type and the other properties
// of the node tell that both are ours. A damaged embedding does
// not tell whose it is, and all of the group are deleted. Otherwise a session is deleted only if it has no turns, with the
// facts that have lost theirs, and nothing of a video: what was committed since is left to the other statements, which
// mend its chains.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
// <include ingest/lock seqs>
WITH ids, seqs
OPTIONAL MATCH (g:Group {group_id: $group_id})
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
CALL () {
  MATCH (n:Group|Video|Clip|Event|SupersededEvent|Scene|Person|Object|Session|Episode|Speaker|Mention|Fact|ForgottenFact|ForgottenTurns|ForgottenFootage|FactUpkeep|FactRun|FactStep|Embedding)
  WITH n, n.group_id = $group_id AND any(label IN labels(n) WHERE label IN keys($types) AND any(name IN keys($types[label])
         WHERE NOT valueType(n[name]) IN $types[label][name])) AS is_odd
  WHERE CASE WHEN n:Embedding THEN $damaged AND n.group_id = $group_id AND (is_odd OR NOT n.kind IN ['event', 'episode', 'fact'])
    WHEN NOT $damaged THEN n.group_id = $group_id AND $video_id IS NULL
      AND ($user_id IS NULL OR n.user_id = $user_id)
      AND ($session_id IS NULL OR n.session_id = $session_id AND (n:Session OR n:Mention OR n:Fact
        AND NOT EXISTS { (n)-[:DERIVED_FROM]->() } AND NOT coalesce(n.pinned, false)
        AND NOT EXISTS { (n)-[:CONTRADICTS {resolution: 'hand'}]->() }) AND NOT EXISTS {
        MATCH (e:Episode)
        WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.session_id = $session_id AND e.turn IS NOT NULL
      })
    WHEN n.group_id = $group_id AND ($video_id IS NULL OR n.video_id = $video_id)
      AND ($user_id IS NULL OR n.user_id = $user_id) AND ($session_id IS NULL OR n.session_id = $session_id)
    THEN n:Scene OR is_odd
    ELSE (n.group_id IS NOT :: STRING NOT NULL
      OR $video_id IS NOT NULL AND (n:Clip OR n:Event OR n:SupersededEvent OR n:Scene) AND n.video_id IS NOT :: STRING NOT NULL
      OR $user_id IS NOT NULL AND (n:Session OR n:Episode OR n:Mention OR n:Fact OR n:Speaker) AND n.user_id IS NOT :: STRING NOT NULL
    ) AND EXISTS {
      MATCH (n)-[r]-(near)
      WHERE (r.group_id = $group_id OR near.group_id = $group_id AND (n.group_id = $group_id OR type(r) IN $linked
          AND any(label IN labels(n) WHERE label IN keys($types)
            AND all(name IN keys($types[label]) WHERE valueType(n[name]) IN $types[label][name]))))
        AND ($user_id IS NULL OR near.user_id = $user_id)
        AND ($session_id IS NULL OR near.session_id = $session_id)
        AND ($video_id IS NULL OR near.video_id = $video_id AND type(r) IN ['IN_CLIP', 'OF_VIDEO', 'TEMPORAL', 'PART_OF'])
    } END
  WITH n LIMIT $limit
  RETURN collect(n) AS gone
}
CALL (gone, seqs) {
  UNWIND gone AS n
  WITH CASE WHEN n:Episode THEN 'episode' WHEN n:Fact THEN 'fact' ELSE 'event' END AS kind,
       toStringOrNull(CASE WHEN n:Episode OR n:Fact THEN n.vector_id ELSE n.node_id END) AS owner
  WHERE owner IS NOT NULL
  MATCH (m:Embedding {kind: kind, owner: owner}) WHERE m.model IS NOT NULL
  WITH collect(DISTINCT m) AS vectors
  WITH vectors, seqs.next AS first
  FOREACH (i IN range(0, size(vectors) - 1) |
    FOREACH (m IN [vectors[i]] | SET m.data = $no_data, m.seq = first + i, m.group_id = ''))
  SET seqs.next = first + size(vectors)
  RETURN size(vectors) AS vectors
}
WITH ids, g, u, gone, vectors,
     size([n IN gone WHERE n:Event]) AS events, size([n IN gone WHERE n:SupersededEvent]) AS merged,
     size([n IN gone WHERE n:Clip]) AS clips, size([n IN gone WHERE n:Video]) AS videos,
     size([n IN gone WHERE n:Person]) AS persons, size([n IN gone WHERE n:Object]) AS objects,
     size([n IN gone WHERE n:Episode]) AS episodes, size([n IN gone WHERE n:Mention]) AS mentions,
     size([n IN gone WHERE n:Session]) AS sessions, size([n IN gone WHERE n:Fact]) AS facts, size(gone) AS nodes
SET ids.gone = coalesce(toIntegerOrNull(ids.gone), 0) + events + merged
// Readers compare these counters to see whether their caches are out of date.
FOREACH (_ IN CASE WHEN nodes > 0 THEN [1] ELSE [] END |
  SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1, u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1)
FOREACH (_ IN CASE WHEN persons > 0 THEN [1] ELSE [] END |
  MERGE (k:Counter {name: 'person_merges'}) SET k.next = coalesce(toIntegerOrNull(k.next), 0) + 1)
FOREACH (n IN gone | DETACH DELETE n)
RETURN nodes, videos, clips, events, merged, persons, objects, vectors, episodes, mentions, sessions, facts
