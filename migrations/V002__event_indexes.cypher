// The order of a video's events. The last event of a person or object before a moment is one seek.
CREATE INDEX event_position IF NOT EXISTS FOR (e:Event) ON (e.group_id, e.video_id, e.position);
CREATE INDEX involves_position IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.key, r.position);
CREATE INDEX uses_position IF NOT EXISTS FOR ()-[r:USES]-() ON (r.key, r.position);
// People and objects by identity, whatever their video or place.
CREATE INDEX person_identity IF NOT EXISTS FOR (p:Person) ON (p.group_id, p.person_id);
CREATE INDEX object_identity IF NOT EXISTS FOR (o:Object) ON (o.group_id, o.name);
// What a dense index has not seen yet.
CREATE INDEX embedding_seq IF NOT EXISTS FOR (m:Embedding) ON (m.kind, m.model, m.seq);
// scope_text holds hashed tokens for group, video, place and persons, so that Lucene ranks within the scope.
CREATE FULLTEXT INDEX event_text IF NOT EXISTS FOR (e:Event)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: false}};
// Groups in other languages. Their events carry the label PlainText as well.
CREATE FULLTEXT INDEX plain_text IF NOT EXISTS FOR (e:PlainText)
  ON EACH [e.summary_text, e.dialogue_snippets, e.persons, e.objects, e.scope_text]
  OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: false}};
