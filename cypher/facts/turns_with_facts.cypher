// Which of these turns state facts already.
// params: group_id, user_id, episode_ids
UNWIND $episode_ids AS episode_id
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
WHERE EXISTS { (e)<-[d:DERIVED_FROM]-(:Fact) WHERE d.via IS NULL AND d.similarity IS NULL }
RETURN collect(e.episode_id) AS episode_ids
