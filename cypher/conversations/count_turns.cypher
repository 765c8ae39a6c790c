// What forget_turns would delete: episodes of a user, of one session or one alone, with everything extracted from them.
// params: group_id, user_id, session_id (null: any), episode_id (null: any)
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.episode_id IS NOT NULL
  AND ($session_id IS NULL OR e.session_id = $session_id) AND ($episode_id IS NULL OR e.episode_id = $episode_id)
WITH collect(e) AS gone, collect(DISTINCT e.session_id) AS session_ids
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)<-[:MENTIONED_IN]-(m:Mention)
  RETURN collect(DISTINCT m) AS mentions
}
// A relation that one episode states may link mentions of other turns of its session, which stay. So those turns are
// searched if only one episode is counted.
CALL (mentions, session_ids) {
  CALL (mentions, session_ids) {
    UNWIND mentions AS m
    MATCH (m)-[r:STATES]-(:Mention)
    RETURN r
    UNION
    UNWIND session_ids AS session_id
    MATCH (o:Episode)
    WHERE $episode_id IS NOT NULL AND o.group_id = $group_id AND o.user_id = $user_id AND o.session_id = session_id
      AND o.turn IS NOT NULL
    MATCH (o)<-[:MENTIONED_IN]-(:Mention)-[r:STATES]->(:Mention)
    WHERE r.episode_id = $episode_id
    RETURN r
  }
  RETURN count(r) AS relations
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (v:Embedding {kind: 'episode', owner: toStringOrNull(e.vector_id)})
  WHERE v.model IS NOT NULL
  RETURN count(v) AS vectors
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)<-[d:DERIVED_FROM]-(f:Fact)
  WITH f, count(DISTINCT e) AS lost, count(CASE WHEN d.via IS NULL AND d.similarity IS NULL THEN 1 END) AS unsaid
  WHERE
  // <include conversations/forget_turns alone>
  RETURN count(f) AS facts
}
CALL (gone, session_ids) {
  UNWIND session_ids AS session_id
  MATCH (s:Session {group_id: $group_id, user_id: $user_id, session_id: session_id})
  WHERE COUNT {
    MATCH (o:Episode)
    WHERE o.group_id = $group_id AND o.user_id = $user_id AND o.session_id = session_id AND o.turn IS NOT NULL
  } <= size([e IN gone WHERE e.session_id = session_id])
  RETURN count(s) AS sessions
}
RETURN size(gone) AS episodes, size(mentions) AS mentions, relations, vectors, facts, sessions
