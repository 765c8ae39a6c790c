// Where things are is searched: Event.spatial_descriptions ("phone: to the left of the mug"), one for each object whose place
// the analysis states. New events are written with it (store/write/rows.py). This fills it in for those of earlier
// versions, under the object's name. V016 makes the full-text indexes with it.
MATCH (e:Event|SupersededEvent)-[u:USES]->(o:Object)
WHERE e.spatial_descriptions IS NULL AND u.spatial_description <> ''
WITH e, o.name AS name, u.spatial_description AS description, min(u.seq) AS seq ORDER BY seq
WITH e, collect(name + ': ' + description) AS descriptions
SET e.spatial_descriptions = descriptions;
