// A person of the group with a name, made if there is none. named: nothing else than a name given by hand keeps them.
// params: group_id, person_id, name, now
MERGE (p:Person {group_id: $group_id, scope: '', person_id: $person_id})
  ON CREATE SET p.created_at = $now, p.name = $name, p.named = true
