// ENTITY_JUMP along the chains of a person: from each event to the next, over a gap longer than jump_gap.
// params: group_id, who [scope, person_id], jump_gap (seconds)
// created_at is that of the later of both events, as when a commit creates the edge.
MATCH (p:Person {group_id: $group_id, scope: $who[0], person_id: $who[1]})<-[part:INVOLVES]-(e:Event)
WHERE part.key IS NOT NULL
WITH DISTINCT p, part.key AS key, e ORDER BY e.position
WITH p, key, collect(e) AS chain
UNWIND range(1, size(chain) - 1) AS i
WITH p, key, chain[i - 1] AS src, chain[i] AS dst
WITH p, key, src, dst, dst.clock_start - (src.clock_start + src.time_end - src.time_start) AS gap
WHERE gap > $jump_gap
MERGE (src)-[jump:ENTITY_JUMP {key: key}]->(dst)
SET jump.person = p.person_id, jump.group_id = $group_id, jump.time_gap = round(gap, 3),
    jump.created_at = CASE WHEN src.created_at > dst.created_at THEN src.created_at ELSE dst.created_at END
