// The queue of facts that wait for an embedding (specification 002 1): only those that wait have embed_after, only those
// that were given up have embed_error. The indexes hold nothing else.
CREATE CONSTRAINT fact_vector IF NOT EXISTS FOR (f:Fact) REQUIRE f.vector_id IS UNIQUE;
CREATE INDEX fact_embed_queue IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.embed_after);
CREATE INDEX fact_embed_failed IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.embed_error);
