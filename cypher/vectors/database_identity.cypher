// The id of this database; files derived from it are kept under that id.
// params: none
CALL db.info() YIELD id RETURN id
