// Counts of a group's videos, clips, events, persons, objects and edges, and of the conversations, turns and active facts
// of all its users. Merged persons count once; names that are only said do not (show/listed.cypher).
// params: group_id, seconds, clock, known_at (as recall/scope.cypher; no moment)
RETURN COUNT { MATCH (v:Video) WHERE v.group_id = $group_id AND v.video_id IS NOT NULL } AS videos,
       COUNT { MATCH (c:Clip) WHERE c.group_id = $group_id AND c.video_id IS NOT NULL AND c.clip_id IS NOT NULL
               AND c.status = 'committed' } AS clips,
       COUNT { MATCH (e:Event) WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL } AS events,
       COUNT { MATCH (e:SupersededEvent)
               WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL } AS merged,
       COUNT { MATCH (p:Person) WHERE p.group_id = $group_id AND p.person_id IS NOT NULL
               AND NOT EXISTS { (p)-[:MERGED_INTO]->(:Person) } AND
               // <include show/listed listed>
               } AS persons,
       COUNT { MATCH (o:Object) WHERE o.group_id = $group_id AND o.name IS NOT NULL } AS objects,
       COUNT { MATCH (s:Session) WHERE s.group_id = $group_id AND s.user_id IS NOT NULL AND s.session_id IS NOT NULL } AS sessions,
       COUNT { MATCH (e:Episode) WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.episode_id IS NOT NULL } AS turns,
       COUNT { MATCH (f:Fact) WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL
               AND f.status = 'active' } AS facts,
       COLLECT {
         MATCH (e:Event)-[r:
           // <include recall/channels channels>
         ]->(:Event)
         WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
         WITH type(r) AS channel, count(r) AS edges
         RETURN {channel: channel, edges: edges} ORDER BY channel
       } AS channels
