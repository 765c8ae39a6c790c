// Facts (specification 001): what a user's turns state, once each.
CREATE CONSTRAINT fact_key IF NOT EXISTS FOR (f:Fact) REQUIRE (f.group_id, f.user_id, f.fact_id) IS UNIQUE;
CREATE INDEX fact_slot IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.user_id, f.subject, f.relation);
CREATE INDEX fact_update IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.user_id, f.updated);
CREATE INDEX fact_status IF NOT EXISTS FOR (f:Fact) ON (f.group_id, f.user_id, f.status, f.said);
CREATE CONSTRAINT forgotten_fact_key IF NOT EXISTS FOR (f:ForgottenFact) REQUIRE (f.group_id, f.user_id, f.fact_id) IS UNIQUE;
CREATE FULLTEXT INDEX fact_text IF NOT EXISTS FOR (f:Fact) ON EACH [f.text, f.subject, f.object, f.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
