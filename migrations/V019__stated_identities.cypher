// INVOLVES.told and USES.told_actor are named stated and stated_actor, in batches.
MATCH ()-[r:INVOLVES]->() WHERE r.told IS NOT NULL
CALL (r) { SET r.stated = coalesce(r.stated, r.told) REMOVE r.told } IN TRANSACTIONS OF 10000 ROWS;
MATCH ()-[r:USES]->() WHERE r.told_actor IS NOT NULL
CALL (r) { SET r.stated_actor = coalesce(r.stated_actor, r.told_actor) REMOVE r.told_actor } IN TRANSACTIONS OF 10000 ROWS;
