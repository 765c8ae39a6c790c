// Delete superseded events with what only they state or name: facts, persons, objects and their vectors. Safe to run twice.
// params: group_id, node_ids, healing, no_data, now
// healing: the clips are written again in the same transaction, so persons and facts stay.
// Their embeddings are kept without data and group, so that their ids are not given again. They get new sequence numbers,
// so that dense indexes drop them. ingest/supersede has taken the events out of their chains in the same transaction.
MATCH (seqs:Counter {name: 'embedding_seq'})
OPTIONAL MATCH (g:Group {group_id: $group_id})
SET g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1
WITH seqs, g
UNWIND $node_ids AS node_id
MATCH (e:SupersededEvent {node_id: node_id})
WHERE e.group_id = $group_id
WITH seqs, g, collect(e) AS gone

CALL (seqs, g, gone) {
  UNWIND gone AS e
  OPTIONAL MATCH (known:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE known.model IS NOT NULL
  WITH seqs, g, e, head(collect(known.model)) AS model
  // Of a damaged graph the group may be gone, and with it what embedded its events.
  MERGE (m:Embedding {kind: 'event', owner: toString(e.node_id), model: coalesce(g.embedding_model, model, '')})
    ON CREATE SET m.dim = coalesce(g.embedding_dim, 0), m.created_at = $now
  WITH seqs, e
  MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id)}) WHERE m.model IS NOT NULL
  WITH seqs, collect(DISTINCT m) AS vectors
  WITH seqs.next AS first, seqs, vectors
  FOREACH (i IN range(0, size(vectors) - 1) | FOREACH (m IN [vectors[i]] | SET m.data = $no_data, m.seq = first + i, m.group_id = ''))
  SET seqs.next = first + size(vectors)
  RETURN size(vectors) AS vectors
}
// Their clips are noted as having fewer events. Otherwise they would count as damaged, and could be taken in again with
// these events.
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[:IN_CLIP]->(c:Clip)
  WHERE c.clip_id = e.clip_id AND NOT EXISTS { (e)<-[:MERGED_INTO]-() }
  WITH c, count(e) AS fewer
  SET c.events = CASE WHEN c.events IS :: INTEGER NOT NULL THEN c.events - fewer END
}
// Facts that only these events show are deleted too, and what those replaced is believed again. Turns and events that
// merely support such a fact by their meaning, or through a fact merged into it, neither keep it nor take it with them; it
// goes with the last of all. A correction by hand rests on what the fact rested on that it corrects.
CALL (gone, seqs) {
  UNWIND gone AS e
  MATCH (e)<-[d:DERIVED_FROM]-(f:Fact)
  WITH f, count(DISTINCT e) AS lost, count(DISTINCT CASE WHEN d.via IS NULL THEN e END) AS counted,
       count(CASE WHEN (d.via IS NULL OR coalesce(f.pinned, false)) AND d.similarity IS NULL THEN 1 END) AS unsaid
  WITH f, counted, unsaid, unsaid = 0 AND COUNT { (f)-[:DERIVED_FROM]->() } <= lost AS bare, COUNT {
    (f)-[d:DERIVED_FROM]->() WHERE (d.via IS NULL OR coalesce(f.pinned, false)) AND d.similarity IS NULL
  } AS evidence
  SET f.evidence_count = f.evidence_count - counted, f.updated = $now
  // A fact of what is usual rests on many events, and is deleted with most of them.
  WITH collect(CASE WHEN NOT $healing AND (bare OR unsaid > 0 AND (unsaid >= evidence OR f.relation = 'usually_at' AND 2 * unsaid > evidence)) THEN f END) AS facts
  WITH facts, [f IN facts WHERE f.vector_id IS NOT NULL | toStringOrNull(f.vector_id)] AS fact_owners
  // <include facts/forget_vectors blank>
  CALL (facts) {
    UNWIND facts AS f
    MATCH (f)-[:CONTRADICTS]->(old:Fact)
    WHERE old.status = 'archived' AND old.replaced_by = f.object AND NOT old IN facts
    SET old.status = 'active', old.archived_at = null, old.replaced_by = null, old.updated = $now
    RETURN collect(DISTINCT {user_id: old.user_id, subject: old.subject, relation: old.relation}) AS slots
  }
  // Open processes read this counter to see whether their caches are out of date.
  CALL (facts) {
    UNWIND facts AS f
    WITH DISTINCT f.group_id AS group_id, f.user_id AS user_id
    MATCH (u:FactUpkeep {group_id: group_id, user_id: user_id})
    SET u.forgotten = coalesce(toIntegerOrNull(u.forgotten), 0) + 1
  }
  // <include facts/forget_facts unname>
  FOREACH (f IN facts | DETACH DELETE f)
  RETURN size(facts) AS facts, slots
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[:INVOLVES]->(p:Person)
  RETURN collect(DISTINCT p) AS people
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[:USES]->(o:Object)
  RETURN collect(DISTINCT o) AS things
}
WITH gone, size(gone) AS events, vectors, facts, slots, people, things
// The label is removed first. Otherwise a node that got it in this transaction is still found in the label's indexes after
// it is deleted.
FOREACH (e IN gone | REMOVE e:SupersededEvent:PlainSupersededEvent DETACH DELETE e)
WITH events, vectors, facts, slots, people, things
MERGE (ids:Counter {name: 'node_id'})
SET ids.gone = coalesce(toIntegerOrNull(ids.gone), 0) + events
WITH events, vectors, facts, slots, people, things

// Persons that no other event names are deleted, with those merged into them. A merged person stays while the analysis of
// an event named it, or somebody merged into it.
CALL (people) {
  UNWIND CASE WHEN $healing THEN [] ELSE people END AS p
  MATCH (q:Person)-[:MERGED_INTO*0..]->(p)
  WITH p, q, CASE WHEN q = p THEN EXISTS { (p)<-[:INVOLVES]-() }
                  ELSE EXISTS { MATCH (p)<-[r:INVOLVES]-(e)
                                WHERE r.stated = [q.scope, q.person_id]
                                  OR q.split AND e.video_id = q.scope AND r.stated = ['', q.person_id] } END AS is_named
  WITH p, collect(q) AS cluster, collect(CASE WHEN is_named THEN q END) AS named
  CALL (named) {
    UNWIND named AS q
    MATCH (q)-[:MERGED_INTO*0..]->(kept:Person)
    RETURN collect(DISTINCT kept) AS kept
  }
  UNWIND [q IN cluster WHERE NOT q IN kept] AS lost
  RETURN collect(DISTINCT lost) AS nobody
}
WITH events, vectors, facts, slots, things, [p IN people WHERE NOT p IN nobody] AS people, nobody, size(nobody) AS persons,
     size([p IN nobody WHERE EXISTS { (p)-[:MERGED_INTO]-(:Person) }]) AS merged
// Alias caches are compared with this counter.
FOREACH (_ IN CASE WHEN merged > 0 THEN [1] ELSE [] END |
  MERGE (k:Counter {name: 'person_merges'}) SET k.next = coalesce(toIntegerOrNull(k.next), 0) + 1)
FOREACH (p IN nobody | DETACH DELETE p)
WITH events, vectors, facts, slots, things, people, persons

// Neo4j Browser displays words of events for persons and objects. Words that only forgotten events had are replaced.
CALL (people) {
  UNWIND people AS p
  WITH p WHERE NOT EXISTS { MATCH (p)<-[:INVOLVES]-(e) WHERE p.name IN e.persons }
  SET p.name = replace(p.person_id, '_', ' ')
}
CALL (things) {
  UNWIND things AS o
  WITH o, EXISTS { (o)<-[:USES]-() } AS is_used, EXISTS { MATCH (o)<-[:USES]-(e) WHERE o.words IN e.objects } AS is_worded
  FOREACH (_ IN CASE WHEN is_used AND NOT is_worded THEN [1] ELSE [] END | SET o.words = o.name)
  WITH collect(CASE WHEN NOT is_used THEN o END) AS unused
  FOREACH (o IN unused | DETACH DELETE o)
  RETURN size(unused) AS objects
}
RETURN events, vectors, facts, slots, persons, objects
