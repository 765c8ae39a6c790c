// The vectors of Neo4j's own index are derived: the next search reads them again, with a number also for a time that is not known.
MATCH (c:Counter) WHERE c.name STARTS WITH 'dense ' SET c.next = 0;
MATCH (v:DenseVector) CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 5000 ROWS;
