// Turns of a user that were said before a moment, unless a fact that stays was stated or taken back in them.
// params: group_id, user_id, before, facts_before (epoch seconds; null: every fact stays), limit
// Facts stay if they are pinned, or were last stated at facts_before or later. A fact that was corrected by hand is pinned,
// and rests on the turns of the fact that it replaced.
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.clock < $before AND e.episode_id IS NOT NULL AND NOT EXISTS {
  MATCH (e)<-[d:DERIVED_FROM|TAKEN_BACK_IN]-(f:Fact)
  WHERE coalesce(f.pinned, false)
     OR d.via IS NULL AND d.similarity IS NULL AND ($facts_before IS NULL OR f.said >= $facts_before)
}
RETURN e.episode_id AS episode_id ORDER BY e.clock LIMIT $limit
