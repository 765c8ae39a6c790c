// Remove an index, so that it can be made again: one that has failed stays failed.
// params: name
DROP INDEX $name IF EXISTS
