// How many nodes a full-text index finds by a scope token.
// params: index, token
CALL db.index.fulltext.queryNodes($index, 'scope_text:"' + $token + '"') YIELD node
RETURN count(node) AS nodes
