"""Durable local queues for what is accepted but not yet in the graph. Each is a file in the data directory."""

TURNS_FILE = "spool.sqlite"  # conversation turns
GRAPHS_FILE = "graphs.sqlite"  # the databases that turns are for, by address
ALERTS_FILE = "alerts.sqlite"  # alerts and their deliveries
CLIPS_FILE = "clips.sqlite"  # analyses of clips
LIVE_FILE = "live.sqlite"  # recordings of live sources and their clips
MESSAGES_FILE = "messages.sqlite"  # messages of camera systems
JOBS_FILE = "jobs.sqlite"  # long work of the server
LIVE_FOLDER = "live"  # the films of those clips
SERVED_FOLDER = "served-media"  # pictures and clips that a server has cut out of films
