// Delete at most `limit` facts of a user that were stated last before a moment and are not pinned. The turns stay.
// params: group_id, user_id, before (epoch seconds), limit, now, no_data
// As facts/forget_facts: a ForgottenFact keeps turns that were said by then from stating the fact again.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
WITH seqs
OPTIONAL MATCH (g:Group {group_id: $group_id})
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1, u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1
WITH seqs
OPTIONAL MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.fact_id IS NOT NULL AND f.said < $before
  AND NOT coalesce(f.pinned, false)
WITH seqs, f LIMIT $limit
WITH seqs, collect(f) AS facts, [id IN collect(toStringOrNull(f.vector_id)) WHERE id IS NOT NULL] AS fact_owners
// <include facts/forget_vectors blank>
// <include facts/forget_facts unname>
// What was merged into them, and was stated later, is believed again.
CALL (facts) {
  UNWIND facts AS f
  MATCH (f)<-[:MERGED_INTO]-(old:Fact)
  WHERE old.status = 'merged_into' AND NOT old IN facts
  SET old.status = 'active', old.archived_at = null, old.updated = $now
}
FOREACH (f IN facts |
  MERGE (gone:ForgottenFact {group_id: $group_id, user_id: $user_id, fact_id: f.fact_id})
  SET gone.said = f.said, gone.forgotten_at = $now)
FOREACH (f IN facts | DETACH DELETE f)
RETURN size(facts) AS facts
