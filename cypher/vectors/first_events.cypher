// The first events of a group, by video, with what is said in them.
// params: group_id, limit
MATCH (e:Event)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
RETURN reduce(text = e.summary_text, line IN e.dialogue_snippets | text + '\n' + line) AS text
ORDER BY e.video_id, e.position LIMIT $limit
