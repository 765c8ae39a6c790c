// Archive the plans that talk drops, whoever made them: those of the words, and those that begin or end with them.
// params: group_id, rows [{object, said, at}], now
UNWIND $rows AS row
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = '' AND f.fact_id IS NOT NULL AND f.relation = 'plans' AND f.status = 'active'
  AND f.said <= row.said
  AND (f.object = row.object OR f.object ENDS WITH ' ' + row.object OR f.object STARTS WITH row.object + ' ')
SET f.status = 'archived', f.archived_at = row.at, f.updated = $now
