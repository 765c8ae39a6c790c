// Which of the given people say something in the scope.
// params: names, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), ranges, known_at
RETURN COLLECT {
    UNWIND $names AS name
    WITH name WHERE EXISTS {
      MATCH (e:Episode)
      WHERE e.actor_id = name AND
      // <include recall/scope turns>
    }
    RETURN name } AS people
