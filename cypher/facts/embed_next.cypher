// When the next fact or turn of a group that waits for an embedding may be tried, in seconds since 1970; null: none waits.
// params: group_id
CALL () {
  MATCH (f:Fact) WHERE f.group_id = $group_id AND f.embed_after >= 0 RETURN min(f.embed_after) AS at
  UNION ALL
  MATCH (e:Episode) WHERE e.group_id = $group_id AND e.embed_after >= 0 RETURN min(e.embed_after) AS at
}
RETURN min(at) AS at
