// How many filler nodes to write: as many as the last time and `more`, but at least `fewest`. It is kept for the next time.
// params: fewest, more
MERGE (k:Counter {name: 'fillers'})
WITH k, coalesce(toIntegerOrNull(k.next), 0) + $more AS next
SET k.next = CASE WHEN next < $fewest THEN $fewest ELSE next END
RETURN k.next AS fillers
