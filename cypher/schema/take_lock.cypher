// Hold the migration lock until the transaction ends.
// params: none
MERGE (l:MigrationLock {name: 'amr_neo4j'}) SET l.taken_at = datetime()
