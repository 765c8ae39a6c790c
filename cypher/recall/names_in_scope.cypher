// Which of the given people and objects occur in the scope.
// params: names, things, group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
RETURN COLLECT {
    UNWIND $names AS name
    WITH name WHERE EXISTS {
      MATCH (p:Person)<-[:INVOLVES]-(e:Event|SupersededEvent)
      WHERE p.group_id = $group_id AND p.person_id = name AND
      // <include recall/scope events>
    }
    RETURN name } AS people,
  COLLECT {
    UNWIND $things AS thing
    WITH thing WHERE EXISTS {
      MATCH (o:Object)<-[:USES]-(e:Event|SupersededEvent)
      WHERE o.group_id = $group_id AND o.name = thing AND
      // <include recall/scope events>
    }
    RETURN thing } AS objects
