// Note that films, or some clips of them, may be taken in again.
// params: group_id, films, clips (null: all)
UNWIND $films AS film
MATCH (f:ForgottenFootage)
WHERE f.group_id = $group_id AND f.film = film AND f.clip IS NOT NULL AND ($clips IS NULL OR f.clip IN $clips)
DELETE f
RETURN count(f) AS again
