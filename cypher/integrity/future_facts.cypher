// Facts of a group that a wrong clock dated more than a day ahead of now, the farthest first.
// whose: the user; of a fact of the group, the video in which it was said.
// params: group_id, now
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL AND f.said > $now.epochSeconds + 86400
RETURN CASE WHEN f.user_id <> '' THEN f.user_id ELSE 'video ' + coalesce(COLLECT {
         MATCH (f)-[:DERIVED_FROM]->(e:Event) RETURN e.video_id ORDER BY e.node_id DESC LIMIT 1
       }[0], '') END AS whose, f.text AS text, toString(datetime({epochSeconds: toInteger(f.said)})) AS said
ORDER BY f.said DESC
