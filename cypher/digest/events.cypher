// Every event of a group with its embedding by the group's model, people, objects and edges, in an order that does not depend on the group's
// name; identified by clip and ordinal. Left out: node ids, clocks, what Neo4j Browser displays (title, Person.name, Object.words), and what
// other columns say (tests/unit/test_event_columns.py names each with its reason).
// params: group_id
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
RETURN e.video_id AS video_id, e.clip_id AS clip_id, e.ordinal AS ordinal, e.position AS position,
       e.time_start AS time_start, e.time_end AS time_end, toString(e.at) AS at, e.summary_text AS summary_text,
       e.dialogue_snippets AS dialogue_snippets, e.persons AS persons, e.objects AS objects, e.scene_type AS scene_type,
       e.actions AS actions, coalesce(e.heard, false) AS heard, coalesce(e.derived, false) AS derived, e.boxes AS boxes,
       e.scope_text AS scope_text,
       COLLECT {
         MATCH (g:Group {group_id: e.group_id})
         MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model})
         WHERE m.group_id = e.group_id
         RETURN [m.model, m.dim, size(m.data)]
       } AS embeddings,
       COLLECT {
         MATCH (e)-[r:INVOLVES]->(p:Person)
         RETURN [p.scope, p.person_id, r.role, r.key, r.position, r.stated[0], r.stated[1], r.seen, r.heard, r.evidence, toString(r.confidence)]
         ORDER BY p.scope, p.person_id, r.role, r.stated
       } AS involves,
       COLLECT {
         MATCH (e)-[u:USES]->(o:Object)
         RETURN [u.seq, o.place, o.name, u.verb, u.actor, u.stated_actor, u.from_state, u.to_state, u.state_kind, u.spatial_relation,
                 u.spatial_description, u.key, u.position] ORDER BY u.seq
       } AS uses,
       coalesce(head(COLLECT { MATCH (v:Video {group_id: e.group_id, video_id: e.video_id}) RETURN v.place }), '') AS place,
       COLLECT {
         MATCH (e)-[r:
           // <include recall/channels channels>
         ]->(later:Event)
         RETURN [type(r), r.key, r.person, r.object, r.kind, r.subject, toString(r.time_gap), toString(r.overlap), r.evidence,
                 toString(r.confidence), r.verb, r.actor,
                 r.from_state, r.to_state, r.spatial_relation, later.video_id, later.clip_id, toString(later.ordinal), r.seq]
         ORDER BY type(r), r.person, r.object, r.kind, r.subject, later.position, r.key, r.seq
       } AS edges
ORDER BY e.group_id, e.video_id, e.position
