// The vector index of Neo4j itself, for the setting dense: neo4j. The nodes are derived from Embedding, which keeps float32 bytes.
// A label for each kind, so that one kind does not crowd out another. Vectors of different lengths are apart by themselves.
CREATE CONSTRAINT dense_vector_key IF NOT EXISTS FOR (v:DenseVector) REQUIRE (v.kind, v.model, v.node_id) IS UNIQUE;
CREATE INDEX dense_vector_group IF NOT EXISTS FOR (v:DenseVector) ON (v.kind, v.model, v.group_id);
CREATE VECTOR INDEX event_vectors IF NOT EXISTS FOR (v:EventVector) ON (v.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX episode_vectors IF NOT EXISTS FOR (v:EpisodeVector) ON (v.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX fact_vectors IF NOT EXISTS FOR (v:FactVector) ON (v.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
