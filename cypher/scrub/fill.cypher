// Write nodes into the gaps on disk that deleted nodes left. Returns their element ids, to delete them again.
// params: nodes (their number), now, text, short_text
// Long texts and lists fill long gaps, shorter ones fill gaps of one to three blocks. The database keeps long texts and lists
// in a file each, and short texts in the property records themselves. A block has 120 bytes; the first block of a list has 9
// fewer. Every text fills its last block, because the rest of a block would keep its old bytes.
// The short texts have property names that the graph has anyway, because a database never removes a name.
UNWIND range(1, $nodes) AS n
CREATE (f:Filler {created_at: $now, text: $text, actions: left($text, 120), clip_summary: left($text, 360),
                  persons: [left($text, size($text) - 9)], objects: [left($text, 111)], dialogue_snippets: [left($text, 351)]})
SET f += {actor: $short_text, analyser: $short_text, category: $short_text, clip_id: $short_text, content: $short_text,
          episode_id: $short_text, error: $short_text, fact_id: $short_text, fingerprint: $short_text, key: $short_text,
          model: $short_text, name: $short_text, object: $short_text, person_id: $short_text, place: $short_text,
          position: $short_text, relation: $short_text, role: $short_text, scene_type: $short_text, scope: $short_text,
          session_id: $short_text, status: $short_text, subject: $short_text, summary_text: $short_text, title: $short_text,
          type: $short_text, uri: $short_text, user_id: $short_text, verb: $short_text, video_id: $short_text}
RETURN collect(elementId(f)) AS ids
