// Replace what receipts tell of people, and delete their summaries, notes, errors, replies and tracked items.
// params: group_id, receipts [{video_id, clip_id, characters, speaker_turns}]
UNWIND $receipts AS row
MATCH (c:Clip {group_id: $group_id, video_id: row.video_id, clip_id: row.clip_id})
SET c.characters = row.characters, c.speaker_turns = row.speaker_turns, c.clip_summary = '', c.notes = [],
    c.error = null, c.raw_reply = null, c.tracked = null
RETURN count(c) AS stripped
