// The nightly run over facts (specification 002 5): who runs, what runs did, and turns in the order they were written.
CREATE CONSTRAINT fact_upkeep_key IF NOT EXISTS FOR (u:FactUpkeep) REQUIRE (u.group_id, u.user_id) IS UNIQUE;
CREATE CONSTRAINT fact_run_key IF NOT EXISTS FOR (r:FactRun) REQUIRE (r.group_id, r.user_id, r.run_id) IS UNIQUE;
CREATE CONSTRAINT fact_step_key IF NOT EXISTS FOR (s:FactStep) REQUIRE (s.group_id, s.user_id, s.run_id, s.number) IS UNIQUE;
CREATE INDEX episode_written IF NOT EXISTS FOR (e:Episode) ON (e.group_id, e.user_id, e.vector_id);
