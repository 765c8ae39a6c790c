// A user's mentions and relations that have one of the given ids.
// params: group_id, user_id, mentions (ids), relations (ids)
RETURN COLLECT {
  UNWIND $mentions AS id
  MATCH (m:Mention {group_id: $group_id, user_id: $user_id, id: id})
  RETURN m{.*}
} AS mentions, COLLECT {
  UNWIND $relations AS id
  MATCH (s:Mention)-[r:STATES {group_id: $group_id, user_id: $user_id, id: id}]->(t:Mention)
  RETURN {relation: r{.*}, source: s{.*}, target: t{.*}}
} AS relations
