// Number of facts with a vector of the model, in all groups: what an up-to-date dense index of facts holds.
// params: model
MATCH (m:Embedding)
WHERE m.kind = 'fact' AND m.model = $model AND m.seq >= 0
  AND m.group_id <> ''  // one that was emptied has no group
RETURN count(CASE WHEN EXISTS { (:Fact {vector_id: toInteger(m.owner)}) } THEN 1 END) AS vectors,
       coalesce(max(m.seq), -1) AS last_seq
