// Raise counters to the least number that each may give.
// params: counters [{name, least}]
UNWIND $counters AS row
MERGE (k:Counter {name: row.name})
SET k.next = CASE WHEN k.next >= row.least THEN k.next ELSE row.least END
