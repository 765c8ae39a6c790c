"""English as recall answers in it: every sentence, clause and word form of an answer."""

from __future__ import annotations

from collections.abc import Sequence


def model_skipped(role: str, reason: str) -> str:
    """Note: a model failed and its stage went by the rules."""
    return f"the {role} model was done without: {reason}"


# How the question was read


def respelled_name(word: str, taken_as: str) -> str:
    """That a word of the question was taken for another spelling."""
    return f"Memory knows no “{word}”, taken as {taken_as}."


def no_recording_dates() -> str:
    """Note: the day that the question names was ignored."""
    return "no recording knows its date: the day in the question is left out"


def unknown_video_named(video: str) -> str:
    """Note: the text model named a video outside the scope."""
    return f"the text model names a video that is not there to look in: {video}"


def video_not_in_question(video: str) -> str:
    """Note: the text model named a video that the question does not."""
    return f"the text model names a video that the question does not: {video}"


def seconds_not_in_question(times: Sequence[float]) -> str:
    """Note: the text model named times that the question does not."""
    return f"the text model names seconds that the question does not: {', '.join(map(str, times))}"
