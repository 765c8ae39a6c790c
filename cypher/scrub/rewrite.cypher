// Write the texts and lists of nodes and relationships again, unchanged. Returns about how many blocks on disk held them.
// params: nodes, relationships (element ids)
// A text that is set to what it is already is not written. So all properties are removed first, in the same transaction.
// Characters may take four bytes, and each number of a list eight. Texts of a few characters take no block.
CALL () {
  UNWIND $nodes AS id
  MATCH (n) WHERE elementId(n) = id
  WITH n, properties(n) AS props, [key IN keys(n) WHERE n[key] IS :: STRING AND size(n[key]) > 8 | n[key]] AS texts,
       [key IN keys(n) WHERE valueType(n[key]) STARTS WITH 'LIST' | n[key]] AS lists
  WHERE size(texts) + size(lists) > 0
  SET n = {}
  SET n = props
  RETURN sum(reduce(blocks = 0, text IN texts | blocks + 1 + size(text) / 30)
             + reduce(blocks = 0, each IN lists | blocks + 1 + size(each) / 15
                      + reduce(more = 0, text IN [text IN each WHERE text IS :: STRING] | more + size(text) / 30))) AS of_nodes
}
CALL () {
  UNWIND $relationships AS id
  MATCH ()-[n]->() WHERE elementId(n) = id
  WITH n, properties(n) AS props, [key IN keys(n) WHERE n[key] IS :: STRING AND size(n[key]) > 8 | n[key]] AS texts,
       [key IN keys(n) WHERE valueType(n[key]) STARTS WITH 'LIST' | n[key]] AS lists
  WHERE size(texts) + size(lists) > 0
  SET n = {}
  SET n = props
  RETURN sum(reduce(blocks = 0, text IN texts | blocks + 1 + size(text) / 30)
             + reduce(blocks = 0, each IN lists | blocks + 1 + size(each) / 15
                      + reduce(more = 0, text IN [text IN each WHERE text IS :: STRING] | more + size(text) / 30))) AS of_relationships
}
RETURN of_nodes + of_relationships AS blocks
