// Which of some turns of a user and events of the group are still there, and may be recalled.
// params: group_id, user_id, episode_ids, node_ids
RETURN
  COLLECT {
    UNWIND $episode_ids AS episode_id
    MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: episode_id}) WHERE e.unrecalled IS NULL
    RETURN episode_id
  } AS turns,
  COLLECT {
    UNWIND $node_ids AS node_id
    MATCH (e:Event {node_id: node_id}) WHERE e.group_id = $group_id
    RETURN node_id
  } AS events
