// Mentions (seed 004): one node for what a turn calls something, however often it does.
CREATE CONSTRAINT mention_key IF NOT EXISTS FOR (m:Mention)
  REQUIRE (m.group_id, m.user_id, m.session_id, m.turn, m.type, m.text) IS UNIQUE;
CREATE CONSTRAINT mention_id IF NOT EXISTS FOR (m:Mention) REQUIRE (m.group_id, m.user_id, m.id) IS UNIQUE;
CREATE INDEX mention_turn IF NOT EXISTS FOR (m:Mention) ON (m.group_id, m.user_id, m.session_id, m.turn);
CREATE INDEX states_id IF NOT EXISTS FOR ()-[r:STATES]-() ON (r.group_id, r.user_id, r.id);
