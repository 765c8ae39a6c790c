// Write nodes again, unchanged, and the relationships that start there. Returns about how many blocks on disk held their
// texts and lists.
// params: ids (element ids of nodes)
// A property that is set to the value it has already is not written. So all are removed first, in the same transaction.
// A character may take four bytes, and a number in a list eight. Texts of a few characters take no block.
UNWIND $ids AS id
MATCH (start) WHERE elementId(start) = id
CALL (start) {
  RETURN start AS n
  UNION ALL
  UNWIND [(start)-[r]->() | r] AS n
  RETURN n
}
WITH n, properties(n) AS props, [key IN keys(n) WHERE n[key] IS :: STRING AND size(n[key]) > 8 | n[key]] AS texts,
     [key IN keys(n) WHERE valueType(n[key]) STARTS WITH 'LIST' | n[key]] AS lists
WHERE size(keys(n)) > 0
SET n = {}
SET n = props
RETURN sum(reduce(blocks = 0, text IN texts | blocks + 1 + size(text) / 30)
           + reduce(blocks = 0, list IN lists | blocks + 1 + size(list) / 15
                    + reduce(more = 0, text IN [text IN list WHERE text IS :: STRING] | more + size(text) / 30))) AS blocks
