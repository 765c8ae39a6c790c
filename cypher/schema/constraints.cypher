// Every constraint by name.
// params: none
SHOW CONSTRAINTS YIELD name
RETURN name
