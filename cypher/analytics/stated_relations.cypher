// What a user's conversations state of each other, by type: how often, the latest statement, and when it was said and learnt.
// params: group_id, user_id
WITH 'demo' AS group_id, 'anna' AS user_id
MATCH (m:Mention)
WHERE m.group_id = group_id AND m.user_id = user_id AND m.text IS NOT NULL
MATCH (m)-[r:STATES]->(n:Mention)
WITH m.text AS source, r.type AS relation, n.text AS target, r ORDER BY r.clock, r.turn
WITH source, relation, target, collect(r) AS stated
RETURN source, relation, target, size(stated) AS times, last(stated).content AS statement,
       last(stated).valid_at AS said, last(stated).created_at AS learnt, last(stated).episode_id AS episode_id
ORDER BY source, relation, target
