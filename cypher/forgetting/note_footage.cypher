// Note that clips of films are forgotten, so that a folder does not bring them back. A film of which nothing is left is noted
// as a whole in their place. No words: hashes of a film's content or id, and of a clip's id; "" stands for the whole film.
// params: group_id, marks [{film, clip, t_start, t_end}], films [{video_id, film}], now
CALL () {
  UNWIND $marks AS mark
  MERGE (f:ForgottenFootage {group_id: $group_id, film: mark.film, clip: mark.clip})
  SET f.forgotten_at = $now, f.t_start = mark.t_start, f.t_end = mark.t_end
}
CALL () {
  UNWIND $films AS row
  WITH row WHERE NOT EXISTS { MATCH (:Video {group_id: $group_id, video_id: row.video_id}) }
  MERGE (whole:ForgottenFootage {group_id: $group_id, film: row.film, clip: ''})
  SET whole.forgotten_at = $now
  WITH row
  MATCH (part:ForgottenFootage)
  WHERE part.group_id = $group_id AND part.film = row.film AND part.clip > ''
  DELETE part
}
RETURN size($marks) AS noted
