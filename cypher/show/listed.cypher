// Which persons are listed and counted, as a condition. Not a statement: the others include it.
// params: group_id, seconds, clock, known_at (as recall/scope.cypher)

// Memory knows more of person p than that the name was said. One of these holds: somebody named p or merged another person into
// p; no event involves p; p acts or speaks in an event; a caption names p, and p is not two known people ("Tasha Alice"); p was
// spoken to in two clips.
// <listed>
  (p.named IS NOT NULL OR NOT EXISTS { (p)<-[:INVOLVES]-(:Event) } OR EXISTS { (p)<-[:MERGED_INTO]-(:Person) }
   OR EXISTS { MATCH (p)<-[r:INVOLVES]-(e:Event) WHERE r.role <> 'mentioned' AND
  // <include recall/scope then>
  } OR EXISTS { MATCH (p)<-[r:INVOLVES]-(e:Event) WHERE r.evidence IS NULL AND
  // <include recall/scope then>
  } AND NOT (p.person_id CONTAINS '_' AND all(word IN split(p.person_id, '_') WHERE EXISTS {
       MATCH (:Person {group_id: $group_id, scope: '', person_id: word})<-[r:INVOLVES]-(e:Event) WHERE r.role <> 'mentioned' AND
  // <include recall/scope then>
       }))
   OR COUNT { MATCH (p)<-[r:INVOLVES {evidence: 'addressed'}]-(e:Event) WHERE
  // <include recall/scope then>
       WITH DISTINCT e.video_id AS video, e.clip_ids AS clip RETURN clip } > 1)
// </listed>
