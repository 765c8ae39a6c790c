// The vector index that filters, of all kinds and dimensions, from Neo4j 2026.06 on.
// params: none
// Vectors are stored with 8 bits a number. With the default of one bit, searches of Neo4j 2026.08 and 2026.09 fail after a
// few writes and deletions.
CYPHER 25
CREATE VECTOR INDEX amr_scoped_vectors IF NOT EXISTS FOR (v:ScopedVector) ON v.vector
WITH [v.kind, v.model, v.group_id, v.video_id, v.time_start, v.time_end, v.clock_start, v.clock_end, v.learnt, v.superseded]
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine', `vector.quantization.type`: 'SCALAR'}}
