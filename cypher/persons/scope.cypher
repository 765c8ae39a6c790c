// Tell the full-text index whom events involve.
// params: events [[elementId, scope_text]]
UNWIND $events AS row
MATCH (e) WHERE elementId(e) = row[0]
SET e.scope_text = row[1]
