// What stops uniqueness constraints from being made: for each, how many nodes share which values of all its properties.
// params: constraints [{name, label, properties}]
MATCH (n)
UNWIND [c IN $constraints WHERE c.label IN labels(n)] AS constraint
WITH constraint.name AS name, [p IN constraint.properties | n[p]] AS values, count(n) AS nodes
WHERE nodes > 1 AND none(value IN values WHERE value IS NULL)
RETURN name, head(collect({values: values, nodes: nodes})) AS first
