"""Repetition: which refusals of a server are worth another request, and after which pause."""

from __future__ import annotations

import email.utils
import math
import random
import time
from collections.abc import Mapping
from typing import Optional

_AGAIN = {408, 409, 425, 429}
MAX_PAUSE = 60.0  # seconds; a server may ask for more


def is_repeated(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the server may accept the request the next time; a header of the server decides where present."""
    told = headers.get("x-should-retry", "").strip().lower()
    if told in ("true", "false"):
        return told == "true"
    return status in _AGAIN or 500 <= status < 600


def _number(text: str) -> Optional[float]:
    try:
        found = float(text) if text.isascii() else math.nan
    except ValueError:
        return None
    return found if math.isfinite(found) and found >= 0 else None


def _date(text: str) -> Optional[float]:
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def pause_of(headers: Mapping[str, str]) -> Optional[float]:
    """The pause requested by a server, in seconds; None without a valid request."""
    milliseconds = _number(headers.get("retry-after-ms", "").strip())
    if milliseconds is not None:
        return milliseconds / 1000
    told = headers.get("retry-after", "").strip()
    seconds = _number(told)
    return seconds if seconds is not None or not told else _date(told)


def jittered(pause: float, attempt: int) -> float:
    """Seconds before the next attempt: random up to a doubling bound, and clients return at different times (full
    jitter, M. Brooker, "Exponential Backoff and Jitter").
    """
    return random.uniform(0.0, min(MAX_PAUSE, pause * 2.0 ** min(attempt, 60)))
