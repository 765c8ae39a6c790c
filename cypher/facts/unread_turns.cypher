// Undo the reading of turns: they no longer state facts or take them back, and these facts no longer contradict others.
// params: group_id, user_id, episode_ids, fact_ids, made
// made: when the contradictions were noted.
CALL () {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: fact_id})
  MATCH (f)-[c:CONTRADICTS]->(:Fact)
  WHERE c.created_at = $made
  DELETE c
}
CALL () {
  UNWIND $episode_ids AS episode_id
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
  MATCH (e)<-[d:DERIVED_FROM]-(:Fact)
  WHERE d.via IS NULL AND d.similarity IS NULL
  DELETE d
}
CALL () {
  UNWIND $episode_ids AS episode_id
  MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
  MATCH (e)<-[t:TAKEN_BACK_IN]-(:Fact)
  DELETE t
}
RETURN 1 AS done
