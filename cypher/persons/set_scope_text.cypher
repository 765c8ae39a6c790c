// Set the scope_text of events, the scope tokens of the full-text index.
// params: events [{id: elementId, scope_text}]
UNWIND $events AS row
MATCH (e) WHERE elementId(e) = row.id
SET e.scope_text = row.scope_text
