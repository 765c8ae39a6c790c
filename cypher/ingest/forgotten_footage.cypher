// What is noted as forgotten of films.
// params: group_id, films
UNWIND $films AS film
MATCH (f:ForgottenFootage)
WHERE f.group_id = $group_id AND f.film = film AND f.clip IS NOT NULL
RETURN f.clip AS clip, f.t_start AS t_start, f.t_end AS t_end, f.forgotten_at AS forgotten_at
