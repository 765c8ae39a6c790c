// Set the scope_text of events, the scope tokens of the full-text index.
// params: events [[elementId, scope_text]]
UNWIND $events AS row
MATCH (e) WHERE elementId(e) = row[0]
SET e.scope_text = row[1]
