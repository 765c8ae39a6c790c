// Every index with its state, its kind, what it is on, and the constraint it belongs to. Token look-up indexes are left out.
// params: none
SHOW INDEXES YIELD name, state, type, entityType, labelsOrTypes, properties, owningConstraint
WHERE type <> 'LOOKUP'
RETURN name, state, type, entityType, labelsOrTypes AS labels, properties, owningConstraint
