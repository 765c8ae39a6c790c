// Note which model was asked about a scene, what it says (summary; empty: that was refused), and what it cost.
// params: group_id, video_id, level, t_start, text (as it was read), summary, asked, usage
// Nothing if the scene has changed since it was read. The words of the summary come first in its text, so that a search
// finds them.
MATCH (s:Scene {group_id: $group_id, video_id: $video_id, level: $level, t_start: $t_start})
WHERE s.text = $text AND s.asked IS NULL
SET s += $usage, s.asked = $asked
FOREACH (_ IN CASE WHEN $summary = '' THEN [] ELSE [1] END |
  SET s.told_by = $asked, s.summary_text = $summary, s.text = $summary + '\n' + $text)
