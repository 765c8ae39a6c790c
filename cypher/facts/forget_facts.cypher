// Delete facts of a subject, of one of its relations, or one, and record that they are gone. The turns stay.
// params: group_id, user_id, subject, relation, object, fact_id, now, said, no_data
// Their embeddings are kept but emptied, so that dense indexes notice.
// A ForgottenFact has no words. It keeps turns that were said before, and are still waiting to be read, from stating the
// fact again.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
// <include ingest/lock seqs>
WITH seqs
// Open processes read these counters to see whether their caches are out of date.
OPTIONAL MATCH (g:Group {group_id: $group_id})
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1, u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1
WITH seqs
FOREACH (id IN CASE WHEN $fact_id IS NULL THEN [] ELSE [$fact_id] END |
  MERGE (gone:ForgottenFact {group_id: $group_id, user_id: $user_id, fact_id: id}) SET gone.said = $said, gone.forgotten_at = $now)
WITH seqs
OPTIONAL MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = $user_id AND f.subject = $subject AND f.relation IS NOT NULL
  AND ($relation IS NULL OR f.relation = $relation) AND ($object IS NULL OR f.object = $object)
WITH seqs, collect(f) AS facts, [id IN collect(toStringOrNull(f.vector_id)) WHERE id IS NOT NULL] AS fact_owners
// <include facts/forget_vectors blank>
// Facts that they had replaced name them.
// <unname>
CALL (facts) {
  UNWIND facts AS f
  CALL (f) {
    MATCH (f)-[:CONTRADICTS]-(old:Fact)
    RETURN old
    UNION
    MATCH (old:Fact)
    WHERE old.group_id = f.group_id AND old.user_id = f.user_id AND old.subject = f.subject AND old.relation = f.relation
    RETURN old
  }
  WITH f, old
  WHERE old.replaced_by = f.object
  SET old.replaced_by = null
}
// </unname>
FOREACH (f IN facts |
  MERGE (gone:ForgottenFact {group_id: $group_id, user_id: $user_id, fact_id: f.fact_id})
  SET gone.said = $said, gone.forgotten_at = $now)
FOREACH (f IN facts | DETACH DELETE f)
RETURN size(facts) AS facts
