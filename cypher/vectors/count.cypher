// Number of events, superseded or not, with a vector of the model, in all groups: what an up-to-date dense index holds.
// params: model
MATCH (m:Embedding)
WHERE m.kind = 'event' AND m.model = $model AND m.seq >= 0
RETURN count(CASE WHEN EXISTS { (:Event {node_id: toInteger(m.owner)}) }
                    OR EXISTS { (:SupersededEvent {node_id: toInteger(m.owner)}) } THEN 1 END) AS vectors,
       coalesce(max(m.seq), -1) AS last_seq
