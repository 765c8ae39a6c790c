// How many turns of a user neither an extraction nor a run over the facts has read.
// params: group_id, user_id
OPTIONAL MATCH (u:FactUpkeep {group_id: $group_id, user_id: $user_id})
WITH coalesce(u.read_to, -1) AS read_to
RETURN COUNT {
  MATCH (e:Episode)
  WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.vector_id > read_to AND e.extracted_at IS NULL
} AS turns
