// One uniqueness constraint per MERGE key: without one, writers that race make the same node twice.
CREATE CONSTRAINT group_key IF NOT EXISTS FOR (g:Group) REQUIRE g.group_id IS UNIQUE;
CREATE CONSTRAINT video_key IF NOT EXISTS FOR (v:Video) REQUIRE (v.group_id, v.video_id) IS UNIQUE;
CREATE CONSTRAINT clip_key IF NOT EXISTS FOR (c:Clip) REQUIRE (c.group_id, c.video_id, c.clip_id) IS UNIQUE;
CREATE CONSTRAINT event_key IF NOT EXISTS FOR (e:Event) REQUIRE e.node_id IS UNIQUE;
CREATE CONSTRAINT person_key IF NOT EXISTS FOR (p:Person) REQUIRE (p.group_id, p.scope, p.person_id) IS UNIQUE;
CREATE CONSTRAINT object_key IF NOT EXISTS FOR (o:Object) REQUIRE (o.group_id, o.place, o.name) IS UNIQUE;
CREATE CONSTRAINT embedding_key IF NOT EXISTS FOR (m:Embedding) REQUIRE (m.kind, m.owner, m.model) IS UNIQUE;
CREATE CONSTRAINT counter_key IF NOT EXISTS FOR (k:Counter) REQUIRE k.name IS UNIQUE;
