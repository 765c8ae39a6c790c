// Where somebody was last seen before a voice, and is next seen after it.
CREATE INDEX involves_seen IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.seen, r.position);
CREATE INDEX involves_heard IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.heard, r.position);
