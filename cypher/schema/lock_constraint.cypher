// The one node that a migrating process locks, so that two of them take turns.
// params: none
CREATE CONSTRAINT migration_lock_key IF NOT EXISTS FOR (l:MigrationLock) REQUIRE l.name IS UNIQUE
