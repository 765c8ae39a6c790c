"""Durable local queues for what is accepted but not yet in the graph. Each is a file in the data directory."""

TURNS_FILE = "spool.sqlite"
GRAPHS_FILE = "graphs.sqlite"
ALERTS_FILE = "alerts.sqlite"
CLIPS_FILE = "clips.sqlite"
LIVE_FILE = "live.sqlite"
LIVE_FOLDER = "live"
