// Note that an import is complete, so that readers drop what they have read of a part of it.
// params: group_id, mark
MATCH (g:Group {group_id: $group_id})
WHERE g.importing = $mark
MERGE (k:Counter {name: 'person_merges'})
SET k.next = coalesce(toIntegerOrNull(k.next), 0) + 1, g.imported = g.importing, g.rewritten = coalesce(toIntegerOrNull(g.rewritten), 0) + 1
REMOVE g.importing, g.import_done
