// Delete those of some facts that no turn states and no event shows any more.
// params: group_id, user_id, fact_ids, no_data
// Their embeddings are kept but emptied, so that dense indexes notice.
// <include ingest/lock seqs>
WITH seqs
// Open processes read these counters to see whether their caches are out of date.
OPTIONAL MATCH (g:Group {group_id: $group_id})
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1, u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1
WITH seqs
UNWIND $fact_ids AS fact_id
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
WHERE NOT EXISTS { (f)-[:DERIVED_FROM]->() }
WITH seqs, collect(f) AS facts, [id IN collect(toString(f.vector_id)) WHERE id IS NOT NULL] AS fact_owners
// <include facts/forget_vectors blank>
// <include facts/forget_facts unname>
FOREACH (f IN facts | DETACH DELETE f)
RETURN size(facts) AS facts
