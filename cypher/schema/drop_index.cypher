// Drop an index, to create it again: a failed index stays failed.
// params: name
DROP INDEX $name IF EXISTS
