// What Neo4j Browser displays of a node without a style sheet: an event's title, a person's name, an object's words.
// New ones are written with their clips (store/write/rows.py). This fills those of earlier versions.
// The summary, cut at a space to 40 characters, as `title` in rows.py does.
MATCH (e:Event|SupersededEvent) WHERE e.title IS NULL AND e.summary_text IS NOT NULL
WITH e, e.summary_text AS summary, split(left(e.summary_text, 41), ' ') AS words
WITH e, summary, size(left(summary, 41)) - size(last(words)) - 1 AS cut
SET e.title = CASE WHEN size(summary) <= 40 THEN summary
                   WHEN cut > 0 THEN left(summary, cut) + '…'
                   ELSE left(summary, 40) + '…' END;
// The shortest words of a person's events that contain every word of the id, or the words of the id.
MATCH (p:Person) WHERE p.name IS NULL
SET p.name = coalesce(head(COLLECT {
  MATCH (p)-[:MERGED_INTO*0..]->(:Person)<-[:INVOLVES]-(e)
  UNWIND e.persons AS words
  WITH DISTINCT words
  WHERE all(part IN split(p.person_id, '_') WHERE part IN split(toLower(words), ' '))
  RETURN words ORDER BY size(words), words LIMIT 1
}), replace(p.person_id, '_', ' '));
// The latest words that are the object's name or its plural, or the name.
MATCH (o:Object) WHERE o.words IS NULL
SET o.words = coalesce(head(COLLECT {
  MATCH (o)<-[:USES]-(e)
  UNWIND e.objects AS words
  WITH e, words WHERE toLower(words) IN [o.name, o.name + 's', o.name + 'es']
  RETURN words ORDER BY e.node_id DESC LIMIT 1
}), o.name);
