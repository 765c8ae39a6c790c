// Set properties of contradictions and merges back to what they were.
// params: group_id, user_id, rows [{source, link, target, props}]
UNWIND $rows AS row
MATCH (f:Fact {group_id: $group_id, user_id: $user_id, fact_id: row.source})
MATCH (f)-[r:CONTRADICTS|MERGED_INTO]->(o:Fact)
WHERE type(r) = row.link AND o.fact_id = row.target
SET r += row.props
