// Every index with its state, including those of constraints.
// params: none
SHOW INDEXES YIELD name, state
RETURN name, state
