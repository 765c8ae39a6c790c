"""Films that moved: memory keeps their paths, and finds them again by their fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from amr_neo4j.domain.video import FileMove, Relocated, StoredFile, Video
from amr_neo4j.errors import AmrError, NoSuchFile, NotInMemory
from amr_neo4j.files import check_path, local_path, whole_path
from amr_neo4j.media import ffmpeg

if TYPE_CHECKING:
    from amr_neo4j.store.write.clip_writer import ClipWriter


def relocate(writer: ClipWriter, group_id: str, old: Path, new: Path, *, dry_run: bool) -> list[Relocated]:
    """Store the new paths of the films at or below `old`. Returns each film's file, in order of the old paths.

    A film keeps its old path if the file at the new one is missing or is another.

    dry_run: only look.
    Raises NotInMemory: memory refers to no file at or below `old`; InputError: a path is not valid UTF-8.
    """
    check_path(old)
    check_path(new)
    # Analyses may name a file by a relative path or as file://.
    before = whole_path(old)
    files = writer.files_below(group_id, [str(old), str(before), before.as_uri()])
    if not files:
        raise NotInMemory(f"memory refers to no film at or below {old}", hint="amr videos lists where they are")
    compared = cache(_compared)
    found: list[Relocated] = []
    moves: list[FileMove] = []
    for file in files:
        to = _new_path(file.uri, (old, before), whole_path(new))
        left = compared(to, file.fingerprints)
        found.append(Relocated(file.video_id, file.uri, str(to), bool(file.fingerprints), left))
        if not left:
            moves.append(_move(file, to))
    if moves and not dry_run:
        writer.move_files(group_id, moves)
    return found


def known_video(writer: ClipWriter, video: Video, *, named: bool) -> tuple[Video, str]:
    """Return (the stored video of this film, a note if the film has moved).

    A film that grew continues its video. The film at a path that memory knows is the video with that path, also after
    it was renamed. If the stored file of a video is gone, and this film has the same fingerprint, the video gets the
    new path. Any other film is returned unchanged, so that a copy beside the original is a video of its own.
    named: a person gave the id, so only the video with this id is meant.
    """
    stored = writer.videos_of_content(video)
    of_id = [each for each in stored if each.video_id == video.video_id]
    here = [each for each in (*of_id, *(() if named else stored)) if each.uri == video.uri]
    if here:
        return _continued(writer, video, here[0]), ""
    for known in of_id if of_id or named else stored:
        if not _is_there(known, video.fingerprint):
            writer.move_files(video.group_id, [_move(StoredFile(known.video_id, known.uri), Path(video.uri))])
            note = f"this is the film of video {known.video_id}, which was at {known.uri}; memory has its new path"
            return replace(known, uri=video.uri), note
    return writer.continued(video, named=named), ""


def _continued(writer: ClipWriter, video: Video, known: Video) -> Video:
    """Return a stored video with its file as it is now: its last seconds may not be stored yet."""
    now = writer.continued(replace(video, video_id=known.video_id), named=True)
    # A file that was restored from a copy has another inode, and is not found by its keys.
    return replace(now, fingerprint=known.fingerprint, ends=now.ends or known.ends)


def _is_there(known: Video, fingerprint: str) -> bool:
    """Whether a stored video's file still holds this content. A file that is not on this machine counts as there."""
    path = local_path(known.uri)
    return "://" in path or (Path(path).is_file() and ffmpeg.fingerprint(path) == fingerprint)


def _new_path(uri: str, old: Sequence[Path], new: Path) -> Path:
    """Return the new path of a file at or below one of these paths.

    If a single file is moved and `new` is a folder, the file keeps its name in that folder.
    """
    path = Path(local_path(uri))
    if path in old:
        return new / path.name if new.is_dir() else new
    return next(new / path.relative_to(folder) for folder in old if path.is_relative_to(folder))


def _compared(path: Path, fingerprints: Sequence[str]) -> str:
    """Return why a file is not the one looked for; empty if it is, or if there is nothing to compare it with."""
    try:
        if ffmpeg.fingerprint(path) in fingerprints or not fingerprints:
            return ""
    except NoSuchFile:
        return f"{path} does not exist, or cannot be read"
    except AmrError as error:
        return error.message
    return f"{path} is another film: its fingerprint differs"


def _move(file: StoredFile, to: Path) -> FileMove:
    return FileMove(file.video_id, file.uri, str(to), next(iter(ffmpeg.file_keys(to)), None))
