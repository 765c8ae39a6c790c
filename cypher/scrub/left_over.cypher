// The filler nodes that an interrupted scrub has left.
// params: before (a time)
MATCH (f:Filler) WHERE f.created_at < $before
RETURN collect(elementId(f)) AS ids
