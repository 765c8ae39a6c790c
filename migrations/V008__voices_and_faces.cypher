// INVOLVES tells who it was said to be (scope and person_id), so that merging persons can be undone, and of whoever is
// seen or only heard in which video: the key of the chain, "@" (which no key contains) and the video.
MATCH (e:Event)-[r:INVOLVES]->(p:Person) WHERE r.told IS NULL
WITH e, p, collect(r) AS parts
WITH e, p, parts, NOT coalesce(e.heard, false) AND any(r IN parts WHERE r.role = 'actor') AS is_seen
UNWIND parts AS r
SET r.told = [p.scope, p.person_id],
    r.seen = CASE WHEN is_seen AND r.role = 'actor' THEN r.key + '@' + e.video_id END,
    r.heard = CASE WHEN NOT is_seen AND r.role <> 'mentioned' THEN r.key + '@' + e.video_id END,
    r.evidence = CASE r.role WHEN 'speaker' THEN 'name' END,
    r.confidence = CASE r.role WHEN 'speaker' THEN 0.9 END;
MATCH (v:Video) WHERE v.voices IS NULL
SET v.voices = EXISTS { (v)<-[:OF_VIDEO]-(:Clip)<-[:IN_CLIP]-(:Event)-[r:INVOLVES]->(:Person) WHERE r.heard IS NOT NULL };
