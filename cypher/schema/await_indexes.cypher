// Wait until every index is online, at most 300 seconds.
// params: none
CALL db.awaitIndexes(300)
