// Events that were merged into others, and the order in which events end, to merge by. They are out of the present, and found by questions about what was known then.
CREATE CONSTRAINT superseded_key IF NOT EXISTS FOR (e:SupersededEvent) REQUIRE e.node_id IS UNIQUE;
CREATE INDEX superseded_position IF NOT EXISTS FOR (e:SupersededEvent) ON (e.group_id, e.video_id, e.position);
CREATE INDEX event_end IF NOT EXISTS FOR (e:Event) ON (e.group_id, e.video_id, e.time_end);
CREATE FULLTEXT INDEX superseded_text IF NOT EXISTS FOR (e:SupersededEvent)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
CREATE FULLTEXT INDEX plain_superseded_text IF NOT EXISTS FOR (e:PlainSupersededEvent)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
