// Mark turns of which extracted mentions or relations are lost as not extracted, so that the next extraction reads them.
// params: group_id, turns [{vector_id, lost}], now
UNWIND $turns AS row
MATCH (e:Episode {vector_id: row.vector_id})
WHERE e.group_id = $group_id
SET e.extracts = e.extracts - row.lost, e.extracted_at = null, e.extractor = null
