// How many filler nodes to write: as many as the last time and `more`, but at least `fewest`. The number is kept for the next
// time. A kept one that no scrub has written (a text, or more than `most`) counts as none.
// params: fewest, more, most
MERGE (k:Counter {name: 'fillers'})
WITH k, toIntegerOrNull(k.next) AS last
WITH k, CASE WHEN 0 <= last <= $most THEN last ELSE 0 END + $more AS next
SET k.next = CASE WHEN next < $fewest THEN $fewest ELSE next END
RETURN k.next AS fillers
