// What would go with events: how many current and merged ones, and the persons and objects that no other event names.
// params: group_id, node_ids
UNWIND $node_ids AS node_id
MATCH (e:Event|SupersededEvent {node_id: node_id})
WHERE e.group_id = $group_id
WITH collect(e) AS gone
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[:INVOLVES]->(p:Person)
  WITH p, count(DISTINCT e) AS named
  WHERE named = COUNT { MATCH (p)<-[:INVOLVES]-(other) RETURN DISTINCT other }
  RETURN count(p) AS persons
}
CALL (gone) {
  UNWIND gone AS e
  MATCH (e)-[:USES]->(o:Object)
  WITH o, count(DISTINCT e) AS used
  WHERE used = COUNT { MATCH (o)<-[:USES]-(other) RETURN DISTINCT other }
  RETURN count(o) AS objects
}
RETURN size([e IN gone WHERE e:Event]) AS events, size([e IN gone WHERE e:SupersededEvent]) AS merged, persons, objects
