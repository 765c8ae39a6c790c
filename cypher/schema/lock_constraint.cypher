// Constraint of the node that a migrating process locks, so that processes take turns.
// params: none
CREATE CONSTRAINT amr_migration_lock_key IF NOT EXISTS FOR (l:MigrationLock) REQUIRE l.name IS UNIQUE
