// The groups with the number of their videos, events, users, turns and active facts.
// params: none
MATCH (g:Group)
WHERE g.group_id >= ''
WITH g.group_id AS group_id
RETURN group_id,
       COUNT { MATCH (v:Video) WHERE v.group_id = group_id AND v.video_id IS NOT NULL } AS videos,
       COUNT { MATCH (e:Event) WHERE e.group_id = group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL } AS events,
       COUNT {
         MATCH (s:Session) WHERE s.group_id = group_id AND s.user_id IS NOT NULL AND s.session_id IS NOT NULL
         RETURN DISTINCT s.user_id
       } AS users,
       COUNT { MATCH (e:Episode) WHERE e.group_id = group_id AND e.user_id IS NOT NULL AND e.episode_id IS NOT NULL } AS turns,
       COUNT { MATCH (f:Fact) WHERE f.group_id = group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
               AND f.status = 'active' } AS facts
ORDER BY group_id
