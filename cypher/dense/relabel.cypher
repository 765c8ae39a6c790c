// Move vectors that were indexed for an earlier release of Neo4j to the vector index that filters.
// params: limit
MATCH (v:EventVector|EpisodeVector|FactVector)
WITH v LIMIT $limit
REMOVE v:EventVector:EpisodeVector:FactVector
SET v:ScopedVector
RETURN count(v) AS moved
