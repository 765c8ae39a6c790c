// How many facts of users changed since a moment of each, and the sum of the times. Open processes compare it, and read
// the facts of a user again after a change.
// params: group_id, since
// since: {user_id, moment} of each user
UNWIND $since AS of
MATCH (f:Fact)
WHERE f.group_id = $group_id AND f.user_id = of.user_id AND f.updated >= of.moment
RETURN f.user_id AS user_id, count(*) AS facts, sum(f.updated.epochMillis) AS updated
