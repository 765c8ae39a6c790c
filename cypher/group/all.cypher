// A page of the groups that hold something, with the number of their videos, events, users, turns and active facts; and how
// many such groups there are. One row without a group if none is on the page; no row if there is none at all.
// params: among (names; null: all groups), start, limit
MATCH (g:Group)
WHERE g.group_id >= '' AND ($among IS NULL OR g.group_id IN $among) AND (
  EXISTS { MATCH (v:Video) WHERE v.group_id = g.group_id AND v.video_id IS NOT NULL }
  OR EXISTS { MATCH (e:Event) WHERE e.group_id = g.group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL }
  OR EXISTS { MATCH (e:Episode) WHERE e.group_id = g.group_id AND e.user_id IS NOT NULL AND e.episode_id IS NOT NULL }
  OR EXISTS { MATCH (f:Fact) WHERE f.group_id = g.group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
              AND f.status = 'active' }
)
WITH g.group_id AS name ORDER BY name
WITH collect(name) AS names
WITH names, size(names) AS total WHERE total > 0
OPTIONAL CALL (names) { UNWIND names AS group_id RETURN group_id SKIP $start LIMIT $limit }
RETURN group_id,
       COUNT { MATCH (v:Video) WHERE v.group_id = group_id AND v.video_id IS NOT NULL } AS videos,
       COUNT { MATCH (e:Event) WHERE e.group_id = group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL } AS events,
       COUNT {
         MATCH (s:Session) WHERE s.group_id = group_id AND s.user_id IS NOT NULL AND s.session_id IS NOT NULL
         RETURN DISTINCT s.user_id
       } AS users,
       COUNT { MATCH (e:Episode) WHERE e.group_id = group_id AND e.user_id IS NOT NULL AND e.episode_id IS NOT NULL } AS turns,
       COUNT { MATCH (f:Fact) WHERE f.group_id = group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
               AND f.status = 'active' } AS facts, total
ORDER BY group_id
