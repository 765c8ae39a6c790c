"""python -m amr_neo4j is amr."""

from amr_neo4j.cli.main import run

if __name__ == "__main__":
    run()
