// Delete the nodes of scrub/fill.
// params: ids
UNWIND $ids AS id
MATCH (f:Filler) WHERE elementId(f) = id
DELETE f
