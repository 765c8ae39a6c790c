// A person of the group whom a voice is given to, made if there is none. named: that name, as it is written.
// params: group_id, person_id, name, now
MERGE (p:Person {group_id: $group_id, scope: '', person_id: $person_id})
  ON CREATE SET p.created_at = $now, p.name = $name
SET p.named = $name
