// What a conversation mentions and states, with the turns
// params: group_id, user_id, session_id
WITH 'demo' AS group_id, 'anna' AS user_id, 'monday' AS session_id
MATCH (m:Mention)
WHERE m.group_id = group_id AND m.user_id = user_id AND m.session_id = session_id AND m.turn IS NOT NULL
MATCH said = (m)-[:MENTIONED_IN]->(:Episode)
OPTIONAL MATCH stated = (m)-[:STATES]->(:Mention)
RETURN said, stated
