// Nodes of a group that lack a property which everything else relies on, or have it with another type; and nodes that have
// lost the group itself but are linked to a node that has it. Counters belong to every group.
// params: group_id
// A scan: what has lost a part of its key is in no index.
MATCH (n:Group|Video|Clip|Event|SupersededEvent|Scene|Person|Object|Session|Episode|Speaker|Mention|Fact|Counter|Embedding)
WHERE (n:Counter OR n.group_id = $group_id OR n.group_id IS NOT :: STRING NOT NULL
       AND EXISTS { MATCH (n)--(near) WHERE near.group_id = $group_id })
  AND NOT CASE
    WHEN n:Counter THEN n.name IS :: STRING NOT NULL AND n.next IS :: INTEGER NOT NULL
      AND (n.gone IS NULL OR n.gone IS :: INTEGER NOT NULL)
    WHEN n.group_id IS NOT :: STRING NOT NULL THEN false
    WHEN n:Group THEN n.embedding_model IS :: STRING NOT NULL AND n.embedding_dim IS :: INTEGER NOT NULL
      AND n.languages IS :: LIST<STRING NOT NULL> NOT NULL AND (n.rewritten IS NULL OR n.rewritten IS :: INTEGER NOT NULL)
    WHEN n:Video THEN n.video_id IS :: STRING NOT NULL AND n.place IS :: STRING NOT NULL
      AND (n.recorded_at IS NULL OR n.recorded_at IS :: ZONED DATETIME NOT NULL)
      AND (n.longest IS NULL OR n.longest IS :: INTEGER NOT NULL)
    WHEN n:Clip THEN n.video_id IS :: STRING NOT NULL AND n.clip_id IS :: STRING NOT NULL AND n.t_start IS :: FLOAT NOT NULL
      AND n.t_end IS :: FLOAT NOT NULL AND n.status IS :: STRING NOT NULL
      AND (n.status <> 'committed' OR n.characters IS :: STRING NOT NULL AND n.speaker_turns IS :: STRING NOT NULL)
    WHEN n:Event OR n:SupersededEvent THEN n.node_id IS :: INTEGER NOT NULL AND n.video_id IS :: STRING NOT NULL
      AND n.clip_id IS :: STRING NOT NULL AND n.ordinal IS :: INTEGER NOT NULL AND n.clip_ids IS :: LIST<STRING NOT NULL> NOT NULL
      AND n.time_start IS :: FLOAT NOT NULL AND n.time_end IS :: FLOAT NOT NULL AND n.clock_start IS :: FLOAT NOT NULL
      AND n.position IS :: STRING NOT NULL AND n.summary_text IS :: STRING NOT NULL AND n.actions IS :: STRING NOT NULL
      AND n.dialogue_snippets IS :: LIST<STRING NOT NULL> NOT NULL AND n.persons IS :: LIST<STRING NOT NULL> NOT NULL
      AND n.objects IS :: LIST<STRING NOT NULL> NOT NULL AND n.scope_text IS :: STRING NOT NULL
      AND n.spatial_descriptions IS :: LIST<STRING NOT NULL>
      AND n.created_at IS :: ZONED DATETIME NOT NULL AND (n.at IS NULL OR n.at IS :: ZONED DATETIME NOT NULL)
    WHEN n:Scene THEN n.video_id IS :: STRING NOT NULL AND n.level IS :: INTEGER NOT NULL AND n.t_start IS :: FLOAT NOT NULL
      AND n.t_end IS :: FLOAT NOT NULL AND n.events IS :: INTEGER NOT NULL AND n.persons IS :: LIST<STRING NOT NULL> NOT NULL
      AND n.persons_since IS :: LIST<FLOAT NOT NULL> NOT NULL AND n.persons_until IS :: LIST<FLOAT NOT NULL> NOT NULL
      AND n.topics IS :: LIST<STRING NOT NULL> NOT NULL AND n.summary_text IS :: STRING NOT NULL AND n.text IS :: STRING NOT NULL
      AND n.scope_text IS :: STRING NOT NULL AND (n.at IS NULL OR n.at IS :: ZONED DATETIME NOT NULL)
    WHEN n:Person THEN n.scope IS :: STRING NOT NULL AND n.person_id IS :: STRING NOT NULL
    WHEN n:Object THEN n.place IS :: STRING NOT NULL AND n.name IS :: STRING NOT NULL
    WHEN n:Session THEN n.user_id IS :: STRING NOT NULL AND n.session_id IS :: STRING NOT NULL
      AND n.next_turn IS :: INTEGER NOT NULL
    WHEN n:Episode THEN n.user_id IS :: STRING NOT NULL AND n.session_id IS :: STRING NOT NULL
      AND n.episode_id IS :: STRING NOT NULL AND n.vector_id IS :: INTEGER NOT NULL AND n.turn IS :: INTEGER NOT NULL
      AND n.content IS :: STRING NOT NULL AND n.actor IS :: STRING NOT NULL AND n.actor_id IS :: STRING NOT NULL
      AND n.clock IS :: FLOAT NOT NULL AND n.valid_at IS :: ZONED DATETIME NOT NULL AND n.scope_text IS :: STRING NOT NULL
      AND n.metadata IS :: STRING NOT NULL
    WHEN n:Speaker THEN n.user_id IS :: STRING NOT NULL AND n.person_id IS :: STRING NOT NULL
    WHEN n:Mention THEN n.user_id IS :: STRING NOT NULL AND n.session_id IS :: STRING NOT NULL AND n.id IS :: STRING NOT NULL
      AND n.turn IS :: INTEGER NOT NULL AND n.type IS :: STRING NOT NULL AND n.text IS :: STRING NOT NULL
      AND n.episode_id IS :: STRING NOT NULL AND n.valid_at IS :: ZONED DATETIME NOT NULL AND n.created_at IS :: ZONED DATETIME NOT NULL
    WHEN n:Fact THEN n.user_id IS :: STRING NOT NULL AND n.fact_id IS :: STRING NOT NULL AND n.subject IS :: STRING NOT NULL
      AND n.relation IS :: STRING NOT NULL AND n.object IS :: STRING NOT NULL AND n.text IS :: STRING NOT NULL
      AND n.status IS :: STRING NOT NULL AND n.confidence IS :: FLOAT NOT NULL AND n.scope_text IS :: STRING NOT NULL
      AND n.last_updated IS :: ZONED DATETIME NOT NULL
    ELSE n.kind IS :: STRING NOT NULL AND n.owner IS :: STRING NOT NULL AND n.model IS :: STRING NOT NULL
      AND n.seq IS :: INTEGER NOT NULL AND n.dim IS :: INTEGER NOT NULL
      AND toIntegerOrNull(n.owner) IS NOT NULL END
RETURN elementId(n) AS id, labels(n)[0] AS label ORDER BY label, id
