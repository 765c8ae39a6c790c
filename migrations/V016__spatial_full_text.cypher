// The full-text indexes of events, made again with Event.spatial_descriptions: a full-text index cannot be changed.
DROP INDEX event_text IF EXISTS;
CREATE FULLTEXT INDEX event_text IF NOT EXISTS FOR (e:Event)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
DROP INDEX plain_text IF EXISTS;
CREATE FULLTEXT INDEX plain_text IF NOT EXISTS FOR (e:PlainText)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
DROP INDEX superseded_text IF EXISTS;
CREATE FULLTEXT INDEX superseded_text IF NOT EXISTS FOR (e:SupersededEvent)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
DROP INDEX plain_superseded_text IF EXISTS;
CREATE FULLTEXT INDEX plain_superseded_text IF NOT EXISTS FOR (e:PlainSupersededEvent)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text, e.spatial_descriptions]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
