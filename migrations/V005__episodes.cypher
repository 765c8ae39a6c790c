// Conversations (seed 004): a session's turns in order. Whose they are is part of every key.
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (s:Session) REQUIRE (s.group_id, s.user_id, s.session_id) IS UNIQUE;
CREATE CONSTRAINT episode_key IF NOT EXISTS FOR (e:Episode) REQUIRE (e.group_id, e.user_id, e.episode_id) IS UNIQUE;
CREATE CONSTRAINT episode_vector IF NOT EXISTS FOR (e:Episode) REQUIRE e.vector_id IS UNIQUE;
CREATE CONSTRAINT speaker_key IF NOT EXISTS FOR (p:Speaker) REQUIRE (p.group_id, p.user_id, p.person_id) IS UNIQUE;
CREATE INDEX episode_turn IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.session_id, e.turn);
CREATE INDEX episode_time IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.clock);
CREATE INDEX episode_actor IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.actor_id, e.clock);
// scope_text holds hashed tokens for the user and the session, as those of events.
CREATE FULLTEXT INDEX episode_text IF NOT EXISTS FOR (e:Episode)
  ON EACH [e.content, e.shown, e.actor, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX plain_episode_text IF NOT EXISTS FOR (e:PlainEpisode)
  ON EACH [e.content, e.shown, e.actor, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
