// Every constraint: its kind, and what it is on.
// params: none
SHOW CONSTRAINTS YIELD name, type, entityType, labelsOrTypes, properties
RETURN name, type, entityType, labelsOrTypes AS labels, properties
