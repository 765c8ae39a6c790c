// One event, superseded or not, with its people, objects and edges; nothing if it was not over, or not known, by a moment.
// params: node_id, group_id, is_now (no moment), seconds, clock, known_at (recall/scope.cypher)
// Of other events, only those that were over and known by then count.
MATCH (e:Event|SupersededEvent {node_id: $node_id})-[:IN_CLIP]->(c:Clip)
WHERE c.clip_id = e.clip_ids[0] AND e.group_id = $group_id AND ($is_now OR
  // <include recall/scope then>
)
RETURN e.node_id AS node_id, e.group_id AS group_id, e.video_id AS video_id, e.clip_ids AS clip_ids, e.ordinal AS ordinal,
       e.time_start AS time_start, e.time_end AS time_end, e.summary_text AS summary_text,
       e.dialogue_snippets AS dialogue_snippets, e.persons AS persons, e.objects AS objects,
       coalesce(e.spatial_descriptions, []) AS spatial_descriptions,
       e.scene_type AS scene_type, e.actions AS actions, coalesce(e.heard, false) AS heard, coalesce(e.derived, false) AS derived,
       e.boxes AS boxes, e.at AS at, c.uri AS uri,
       COLLECT { MATCH (e)<-[:MERGED_INTO]-(part:SupersededEvent) RETURN part.node_id ORDER BY part.node_id } AS made_of,
       COLLECT {
         MATCH (e)-[:MERGED_INTO]->(into:Event|SupersededEvent)
         WHERE $is_now OR (into.time_end <= $seconds AND ($known_at IS NULL OR e.superseded_at <= $known_at)
           AND ($clock IS NULL OR into.clock_start + into.time_end - into.time_start <= $clock))
         RETURN into.node_id
       } AS merged_into,
       COLLECT { MATCH (e)-[r:INVOLVES]->(p:Person) WITH DISTINCT p.person_id AS person, r.role AS role RETURN {person: person, role: role} ORDER BY role, person } AS people,
       COLLECT {
         MATCH (e)-[u:USES]->(o:Object)
         RETURN {object: o.name, verb: u.verb, actor: u.actor, from_state: u.from_state, to_state: u.to_state,
                 spatial_relation: u.spatial_relation, spatial_description: u.spatial_description, confidence: u.confidence} ORDER BY u.seq
       } AS uses,
       COLLECT {
         MATCH (e)-[r:
           // <include recall/channels channels>
         ]-(other:Event)
         WHERE other.group_id = $group_id AND ($is_now OR (other.time_end <= $seconds
           AND ($known_at IS NULL OR other.created_at <= $known_at)
           AND ($clock IS NULL OR other.clock_start + other.time_end - other.time_start <= $clock)))
         RETURN {channel: type(r), src: startNode(r).node_id, dst: endNode(r).node_id, time_gap: r.time_gap,
                 subject: coalesce(r.person, r.object, r.subject)} ORDER BY type(r), startNode(r).node_id, endNode(r).node_id, r.seq
       } AS edges
