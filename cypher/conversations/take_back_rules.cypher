// Mark one user's episodes that rules have read as unread, and delete what the rules found in them. Safe to run twice.
// params: group_id, user_id, episode_ids, kept (ids of mentions and relations that stay, since they were found again)
// A mention that another turn's relation leads to stays, as disused. It goes with the last such relation.

// The write locks the episode: concurrent extractions of one episode take turns.
UNWIND $episode_ids AS episode_id
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id})
SET e.extracted_at = e.extracted_at
WITH e WHERE e.extractor STARTS WITH 'rules '
SET e.extracted_at = null, e.extractor = null
WITH e
CALL (e) {
  MATCH (o:Episode)
  WHERE o.group_id = $group_id AND o.user_id = $user_id AND o.session_id = e.session_id AND o.turn <= e.turn
  MATCH (o)<-[:MENTIONED_IN]-(:Mention)-[r:STATES]->(:Mention)
  WHERE r.episode_id = e.episode_id AND NOT r.id IN $kept
  DELETE r
  SET e.extracts = e.extracts - 1
}
CALL (e) {
  MATCH (e)<-[:MENTIONED_IN]-(m:Mention)
  WHERE NOT m.id IN $kept
  SET m.disused = true
}
CALL (e) {
  MATCH (o:Episode)
  WHERE o.group_id = $group_id AND o.user_id = $user_id AND o.session_id = e.session_id AND o.turn <= e.turn
  MATCH (o)<-[:MENTIONED_IN]-(m:Mention)
  WHERE m.disused AND NOT EXISTS { (m)-[:STATES]-() }
  DETACH DELETE m
  SET o.extracts = o.extracts - 1
}
