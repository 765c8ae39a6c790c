// Drop a constraint with its index, to create it again.
// params: name
DROP CONSTRAINT $name IF EXISTS
