// Of each single-valued relation, keep the fact that was stated last; archive the others with what replaced them.
// params: group_id, user_id, slots [{subject, relation}], now
UNWIND $slots AS slot
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = slot.subject AND f.relation = slot.relation
  AND f.status = 'active'
WITH slot, f ORDER BY f.said DESC, f.updated DESC, f.fact_id
WITH slot, collect(f) AS facts
WITH facts[0] AS newest, facts[1..] AS older
UNWIND older AS old
SET old.status = 'archived', old.archived_at = newest.last_updated, old.replaced_by = newest.object, old.updated = $now
MERGE (newest)-[c:CONTRADICTS]->(old)
  ON CREATE SET c.group_id = $group_id, c.at = newest.last_updated, c.resolution = 'newer', c.created_at = $now
RETURN count(*) AS replaced
