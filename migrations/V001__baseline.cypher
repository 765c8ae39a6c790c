// The schema: uniqueness constraints, indexes, full-text indexes and vector indexes. docs/graph-model.md says what each is for.
// One uniqueness constraint per MERGE key: without one, writers that race make the same node twice.

// --- video
CREATE CONSTRAINT amr_group_key IF NOT EXISTS FOR (g:Group) REQUIRE g.group_id IS UNIQUE;
CREATE CONSTRAINT amr_video_key IF NOT EXISTS FOR (v:Video) REQUIRE (v.group_id, v.video_id) IS UNIQUE;
CREATE CONSTRAINT amr_clip_key IF NOT EXISTS FOR (c:Clip) REQUIRE (c.group_id, c.video_id, c.clip_id) IS UNIQUE;
CREATE CONSTRAINT amr_event_key IF NOT EXISTS FOR (e:Event) REQUIRE e.node_id IS UNIQUE;
CREATE CONSTRAINT amr_superseded_key IF NOT EXISTS FOR (e:SupersededEvent) REQUIRE e.node_id IS UNIQUE;
CREATE CONSTRAINT amr_scene_key IF NOT EXISTS FOR (s:Scene) REQUIRE (s.group_id, s.video_id, s.level, s.t_start) IS UNIQUE;
CREATE CONSTRAINT amr_person_key IF NOT EXISTS FOR (p:Person) REQUIRE (p.group_id, p.scope, p.person_id) IS UNIQUE;
CREATE CONSTRAINT amr_object_key IF NOT EXISTS FOR (o:Object) REQUIRE (o.group_id, o.place, o.name) IS UNIQUE;
// Videos whose scenes must be made again.
CREATE INDEX amr_video_stale IF NOT EXISTS FOR (v:Video) ON (v.group_id, v.scenes_since);
// The latest receipts of a group: when its clips were received.
CREATE INDEX amr_clip_received IF NOT EXISTS FOR (c:Clip) ON (c.group_id, c.received_at);
// The order of a video's events, and the order in which they end, to merge by.
CREATE INDEX amr_event_position IF NOT EXISTS FOR (e:Event) ON (e.group_id, e.video_id, e.position);
CREATE INDEX amr_superseded_position IF NOT EXISTS FOR (e:SupersededEvent) ON (e.group_id, e.video_id, e.position);
CREATE INDEX amr_event_end IF NOT EXISTS FOR (e:Event) ON (e.group_id, e.video_id, e.time_end);
// Chains: the last event of a person or an object before a moment is one seek.
CREATE INDEX amr_involves_position IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.key, r.position);
CREATE INDEX amr_uses_position IF NOT EXISTS FOR ()-[r:USES]-() ON (r.key, r.position);
// Where somebody was last seen before a voice, and is next seen after it.
CREATE INDEX amr_involves_seen IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.seen, r.position);
CREATE INDEX amr_involves_heard IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.heard, r.position);
// The latest events of a person or an object, whatever the video or place: a seek, however many there are.
CREATE INDEX amr_involves_latest IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.group_id, r.person_id, r.at);
CREATE INDEX amr_uses_latest IF NOT EXISTS FOR ()-[r:USES]-() ON (r.group_id, r.name, r.at);
// People and objects by identity, whatever their video or place.
CREATE INDEX amr_person_identity IF NOT EXISTS FOR (p:Person) ON (p.group_id, p.person_id);
CREATE INDEX amr_object_identity IF NOT EXISTS FOR (o:Object) ON (o.group_id, o.name);
// Full text. scope_text holds hashed tokens for group, video, place and persons, so that Lucene ranks within the scope.
// The plain ones are for groups in other languages, whose events carry a second label.
CREATE FULLTEXT INDEX amr_event_text IF NOT EXISTS FOR (e:Event)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX amr_plain_text IF NOT EXISTS FOR (e:PlainText)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX amr_superseded_text IF NOT EXISTS FOR (e:SupersededEvent)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX amr_plain_superseded_text IF NOT EXISTS FOR (e:PlainSupersededEvent)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX amr_scene_text IF NOT EXISTS FOR (s:Scene) ON EACH [s.text, s.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX amr_plain_scene_text IF NOT EXISTS FOR (s:PlainScene) ON EACH [s.text, s.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};

// --- conversation (specification 004): whose the turns are is part of every key
CREATE CONSTRAINT amr_session_key IF NOT EXISTS FOR (s:Session) REQUIRE (s.group_id, s.user_id, s.session_id) IS UNIQUE;
CREATE CONSTRAINT amr_episode_key IF NOT EXISTS FOR (e:Episode) REQUIRE (e.group_id, e.user_id, e.episode_id) IS UNIQUE;
CREATE CONSTRAINT amr_episode_vector IF NOT EXISTS FOR (e:Episode) REQUIRE e.vector_id IS UNIQUE;
CREATE CONSTRAINT amr_speaker_key IF NOT EXISTS FOR (p:Speaker) REQUIRE (p.group_id, p.user_id, p.person_id) IS UNIQUE;
CREATE INDEX amr_episode_turn IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.session_id, e.turn);
CREATE INDEX amr_episode_time IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.clock);
CREATE INDEX amr_episode_actor IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.actor_id, e.clock);
// Turns in the order they were written, for the nightly run over facts.
CREATE INDEX amr_episode_written IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.vector_id);
CREATE FULLTEXT INDEX amr_episode_text IF NOT EXISTS FOR (e:Episode)
  ON EACH [e.content, e.shown, e.actor, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX amr_plain_episode_text IF NOT EXISTS FOR (e:PlainEpisode)
  ON EACH [e.content, e.shown, e.actor, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
// Mentions: one node for what a turn calls something, however often it does.
CREATE CONSTRAINT amr_mention_key IF NOT EXISTS FOR (m:Mention)
  REQUIRE (m.group_id, m.user_id, m.session_id, m.turn, m.type, m.text) IS UNIQUE;
CREATE CONSTRAINT amr_mention_id IF NOT EXISTS FOR (m:Mention) REQUIRE (m.group_id, m.user_id, m.id) IS UNIQUE;
CREATE INDEX amr_mention_turn IF NOT EXISTS FOR (m:Mention) ON (m.group_id, m.user_id, m.session_id, m.turn);
CREATE INDEX amr_mention_text IF NOT EXISTS FOR (m:Mention) ON (m.group_id, m.user_id, m.text);
CREATE INDEX amr_states_id IF NOT EXISTS FOR ()-[r:STATES]-() ON (r.group_id, r.user_id, r.id);

// --- facts (specification 001): what a user's turns state, once each
CREATE CONSTRAINT amr_fact_key IF NOT EXISTS FOR (f:Fact) REQUIRE (f.group_id, f.user_id, f.fact_id) IS UNIQUE;
CREATE CONSTRAINT amr_forgotten_turns_key IF NOT EXISTS FOR (f:ForgottenTurns) REQUIRE (f.group_id, f.key) IS UNIQUE;
CREATE CONSTRAINT amr_forgotten_footage_key IF NOT EXISTS FOR (f:ForgottenFootage) REQUIRE (f.group_id, f.film, f.clip) IS UNIQUE;
CREATE CONSTRAINT amr_forgotten_fact_key IF NOT EXISTS FOR (f:ForgottenFact) REQUIRE (f.group_id, f.user_id, f.fact_id) IS UNIQUE;
CREATE CONSTRAINT amr_fact_vector IF NOT EXISTS FOR (f:Fact) REQUIRE f.vector_id IS UNIQUE;
CREATE INDEX amr_fact_slot IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.user_id, f.subject, f.relation);
CREATE INDEX amr_fact_update IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.user_id, f.updated);
CREATE INDEX amr_fact_status IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.user_id, f.status, f.said);
// The queue of facts and turns that wait for an embedding (specification 002 1): only those that wait have embed_after,
// only those that were given up have embed_error. The indexes hold nothing else.
CREATE INDEX amr_episode_embed_queue IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.embed_after);
CREATE INDEX amr_episode_embed_failed IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.embed_error);
CREATE INDEX amr_fact_embed_queue IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.embed_after);
CREATE INDEX amr_fact_embed_failed IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.embed_error);
CREATE FULLTEXT INDEX amr_fact_text IF NOT EXISTS FOR (f:Fact) ON EACH [f.text, f.subject, f.object, f.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
// The nightly run (specification 002 5): who runs, and what runs did.
CREATE CONSTRAINT amr_fact_upkeep_key IF NOT EXISTS FOR (u:FactUpkeep) REQUIRE (u.group_id, u.user_id) IS UNIQUE;
CREATE CONSTRAINT amr_fact_run_key IF NOT EXISTS FOR (r:FactRun) REQUIRE (r.group_id, r.user_id, r.run_id) IS UNIQUE;
CREATE CONSTRAINT amr_fact_step_key IF NOT EXISTS FOR (s:FactStep) REQUIRE (s.group_id, s.user_id, s.run_id, s.number) IS UNIQUE;

// --- embeddings and counters
CREATE CONSTRAINT amr_counter_key IF NOT EXISTS FOR (k:Counter) REQUIRE k.name IS UNIQUE;
CREATE CONSTRAINT amr_embedding_key IF NOT EXISTS FOR (m:Embedding) REQUIRE (m.kind, m.owner, m.model) IS UNIQUE;
// What a dense index has not seen yet.
CREATE INDEX amr_embedding_seq IF NOT EXISTS FOR (m:Embedding) ON (m.kind, m.model, m.seq);
// The vector index of Neo4j itself, for the setting dense: neo4j. The nodes are derived from Embedding, which keeps float32
// bytes. A label for each kind, so that one kind does not crowd out another. Vectors of different lengths are apart by
// themselves.
CREATE CONSTRAINT amr_dense_vector_key IF NOT EXISTS FOR (v:DenseVector) REQUIRE (v.kind, v.model, v.node_id) IS UNIQUE;
CREATE INDEX amr_dense_vector_group IF NOT EXISTS FOR (v:DenseVector) ON (v.kind, v.model, v.group_id);
CREATE VECTOR INDEX amr_event_vectors IF NOT EXISTS FOR (v:EventVector) ON (v.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX amr_episode_vectors IF NOT EXISTS FOR (v:EpisodeVector) ON (v.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
CREATE VECTOR INDEX amr_fact_vectors IF NOT EXISTS FOR (v:FactVector) ON (v.vector)
OPTIONS {indexConfig: {`vector.similarity_function`: 'cosine'}};
