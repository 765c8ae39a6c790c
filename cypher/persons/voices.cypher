// The voices that a group remembers of persons who were named, each with that name.
// params: group_id
MATCH (p:Person)
WHERE p.group_id = $group_id AND p.person_id STARTS WITH 'voice_' AND p.voice IS NOT NULL
MATCH (p)-[:MERGED_INTO*1..]->(now:Person) WHERE now.scope = '' AND NOT EXISTS { (now)-[:MERGED_INTO]->(:Person) }
// The property name is for Neo4j Browser, and changes when events are forgotten.
RETURN coalesce(now.named, now.name) AS name, p.voice AS voice ORDER BY name, p.scope, p.person_id
