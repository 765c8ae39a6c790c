// Link turns to their speakers again, and mentions to their turns.
// params: group_id, rows [{kind, owner, user_id, episode_id}], now
UNWIND $rows AS row
MATCH (e:Episode {group_id: $group_id, user_id: row.user_id, episode_id: row.episode_id})
CALL (row, e) {
  WITH row, e WHERE row.kind = 'speaker of turn'
  MERGE (p:Speaker {group_id: $group_id, user_id: row.user_id, person_id: e.actor_id})
    ON CREATE SET p.name = e.actor, p.created_at = $now
  MERGE (e)-[by:SAID_BY]->(p) ON CREATE SET by.group_id = $group_id, by.created_at = $now
}
CALL (row, e) {
  WITH row, e WHERE row.kind = 'turn of mention'
  MATCH (m:Mention {group_id: $group_id, user_id: row.user_id, id: row.owner})
  MERGE (m)-[in:MENTIONED_IN]->(e) ON CREATE SET in.group_id = $group_id, in.user_id = row.user_id, in.created_at = $now
}
