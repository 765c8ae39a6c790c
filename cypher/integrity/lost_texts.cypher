// Turns and facts of a group that were deleted without having been forgotten: their embeddings still have data.
// params: group_id
MATCH (g:Group {group_id: $group_id})
CALL (g) {
  MATCH (m:Embedding)
  WHERE m.kind = 'episode' AND m.model = g.embedding_model AND m.seq >= 0 AND m.group_id = $group_id AND size(m.data) > 0
    AND NOT EXISTS { (:Episode {vector_id: toInteger(m.owner)}) }
  RETURN 'turn' AS kind, m.owner AS owner
  UNION ALL
  MATCH (m:Embedding)
  WHERE m.kind = 'fact' AND m.model = g.embedding_model AND m.seq >= 0 AND m.group_id = $group_id AND size(m.data) > 0
    AND NOT EXISTS { (:Fact {vector_id: toInteger(m.owner)}) }
  RETURN 'fact' AS kind, m.owner AS owner
}
RETURN kind, owner ORDER BY kind, toInteger(owner)
