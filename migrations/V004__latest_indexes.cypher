// The latest events of a person or an object, whatever the video or place: a seek, however many there are.
CREATE INDEX involves_latest IF NOT EXISTS FOR ()-[r:INVOLVES]-() ON (r.group_id, r.person_id, r.at);
CREATE INDEX uses_latest IF NOT EXISTS FOR ()-[r:USES]-() ON (r.group_id, r.name, r.at);
