// What is stated of a thing, by the words that a question has for it.
CREATE INDEX mention_text IF NOT EXISTS FOR (m:Mention) ON (m.group_id, m.user_id, m.text);
