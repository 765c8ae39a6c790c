// Facts of a group that a wrong clock dated more than a day ahead of now, the farthest first.
// params: group_id, now
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id IS NOT NULL AND f.fact_id IS NOT NULL AND f.said > $now.epochSeconds + 86400
RETURN f.user_id AS user_id, f.text AS text, toString(datetime({epochSeconds: toInteger(f.said)})) AS said
ORDER BY f.said DESC
