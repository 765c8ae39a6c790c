// Which of the people and objects of the given chains occur in the scope.
// params: people, things [{name, key, video_id, start}] (store/read/event_reader.py), group_id, video_ids, persons, seconds, clock, known_at (store/read/event_reader.py)
RETURN COLLECT {
    UNWIND $people AS chain
    CALL (chain) {
      MATCH (last:Event)
      WHERE last.group_id = $group_id AND last.video_id = chain.video_id AND last.position >= chain.start
      RETURN last.position AS end ORDER BY last.group_id DESC, last.video_id DESC, last.position DESC LIMIT 1
    }
    WITH chain, end WHERE EXISTS {
      MATCH (e:Event)-[r:INVOLVES]->(:Person)
      WHERE r.key = chain.key AND r.position >= chain.start AND r.position <= end AND e.video_id = chain.video_id AND
      // <include recall/scope current_events>
    }
    RETURN DISTINCT chain.name } AS people,
  COLLECT {
    UNWIND $things AS chain
    CALL (chain) {
      MATCH (last:Event)
      WHERE last.group_id = $group_id AND last.video_id = chain.video_id AND last.position >= chain.start
      RETURN last.position AS end ORDER BY last.group_id DESC, last.video_id DESC, last.position DESC LIMIT 1
    }
    WITH chain, end WHERE EXISTS {
      MATCH (e:Event)-[r:USES]->(:Object)
      WHERE r.key = chain.key AND r.position >= chain.start AND r.position <= end AND e.video_id = chain.video_id AND
      // <include recall/scope current_events>
    }
    RETURN DISTINCT chain.name } AS objects
