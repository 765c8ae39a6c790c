// The latest receipts of a group: when its clips were received.
CREATE INDEX clip_received IF NOT EXISTS FOR (c:Clip) ON (c.group_id, c.received_at);
