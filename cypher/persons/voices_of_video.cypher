// The voices that were heard in a video, and what is remembered of those whom nobody named; empty for a named one.
// params: group_id, video_id
MATCH (p:Person {group_id: $group_id, scope: $video_id}) WHERE p.person_id STARTS WITH 'voice_'
RETURN p.person_id AS person_id,
  CASE WHEN p.voice IS NOT NULL AND EXISTS { (p)-[:MERGED_INTO]->(:Person) } THEN [] ELSE p.voice END AS voice
ORDER BY person_id
