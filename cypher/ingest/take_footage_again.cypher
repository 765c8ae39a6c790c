// Note that films may be taken in again.
// params: group_id, films
UNWIND $films AS film
MATCH (f:ForgottenFootage)
WHERE f.group_id = $group_id AND f.film = film AND f.clip IS NOT NULL
DELETE f
RETURN count(f) AS again
