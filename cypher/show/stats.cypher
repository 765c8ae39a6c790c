// How much a group holds.
// params: group_id
RETURN COUNT { MATCH (v:Video) WHERE v.group_id = $group_id } AS videos,
       COUNT { MATCH (c:Clip) WHERE c.group_id = $group_id } AS clips,
       COUNT { MATCH (e:Event) WHERE e.group_id = $group_id } AS events,
       COUNT { MATCH (p:Person) WHERE p.group_id = $group_id } AS persons,
       COUNT { MATCH (o:Object) WHERE o.group_id = $group_id } AS objects,
       COLLECT {
         MATCH (e:Event)-[r:TEMPORAL|ENTITY_JUMP|OBJECT_LIFECYCLE|CROSS_MODAL]->(:Event)
         WHERE e.group_id = $group_id
         WITH type(r) AS channel, count(r) AS edges
         RETURN {channel: channel, edges: edges} ORDER BY channel
       } AS channels
