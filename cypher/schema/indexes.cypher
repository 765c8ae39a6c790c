// Every index with its state, those of constraints among them.
// params: none
SHOW INDEXES YIELD name, state
RETURN name, state
