// What tells this database from every other: derived files are kept under it.
// params: none
CALL db.info() YIELD id RETURN id
