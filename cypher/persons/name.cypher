// A person of the group to whom a voice, a description or a split name is given, made if there is none. named: that name, as it is written.
// params: group_id, person_id, name, now
MERGE (p:Person {group_id: $group_id, scope: '', person_id: $person_id})
  ON CREATE SET p.created_at = $now, p.name = $name
SET p.named = $name
