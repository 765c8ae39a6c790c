// Delete what is left of a group when its footage and conversations are forgotten, and the group itself.
// params: group_id, no_data, now
// Its Embeddings stay, without data.
MERGE (ids:Counter {name: 'node_id'}) ON CREATE SET ids.next = 0
SET ids.locked_at = $now
MERGE (seqs:Counter {name: 'embedding_seq'}) ON CREATE SET seqs.next = 0
WITH seqs
CALL () {
  MATCH (p:Person) WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
  DETACH DELETE p
}
CALL () {
  MATCH (o:Object) WHERE o.group_id = $group_id AND o.name IS NOT NULL
  DETACH DELETE o
}
CALL () {
  MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL
  DETACH DELETE v
}
CALL () {
  MATCH (s:Session) WHERE s.group_id = $group_id AND s.user_id IS NOT NULL AND s.session_id IS NOT NULL
  DETACH DELETE s
}
CALL () {
  MATCH (p:Speaker) WHERE p.group_id = $group_id AND p.user_id IS NOT NULL AND p.person_id IS NOT NULL
  DETACH DELETE p
}
CALL (seqs) {
  MATCH (f:Fact) WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
  WITH collect(f) AS facts, [id IN collect(toString(f.vector_id)) WHERE id IS NOT NULL] AS fact_owners
  // <include facts/forget_vectors blank>
  FOREACH (f IN facts | DETACH DELETE f)
}
CALL () {
  MATCH (f:ForgottenFact) WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
  DETACH DELETE f
}
CALL () {
  MATCH (u:FactUpkeep) WHERE u.group_id = $group_id AND u.user_id IS NOT NULL
  DETACH DELETE u
}
CALL () {
  MATCH (r:FactRun) WHERE r.group_id = $group_id AND r.user_id IS NOT NULL AND r.run_id IS NOT NULL
  DETACH DELETE r
}
CALL () {
  MATCH (s:FactStep) WHERE s.group_id = $group_id AND s.user_id IS NOT NULL AND s.run_id IS NOT NULL AND s.number IS NOT NULL
  DETACH DELETE s
}
MERGE (k:Counter {name: 'person_merges'}) ON CREATE SET k.next = 0
SET k.next = k.next + 1
WITH k
MATCH (g:Group {group_id: $group_id})
DETACH DELETE g
