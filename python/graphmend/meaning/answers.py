"""Kept answers of an endpoint: texts and scores, in a folder with write access for this user alone.

Calls of tools are never kept, and no kept answer makes a call: a call has effects, and the current answer of a model
decides."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Optional

from graphmend import private, terminal
from graphmend.meaning.model import Scored

MOST_BYTES = 64 << 20


class Answers:
    """The answers in one folder, by request. Methods never raise; a folder that other users can write is reported once,
    and no answer is kept."""

    def __init__(self, folder: str) -> None:
        self.folder: Optional[str] = folder

    @staticmethod
    def name_of(asked: Any) -> str:
        """The file for an answer."""
        key = json.dumps(asked, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest() + ".json"

    def find(self, asked: Any) -> Optional[Scored]:
        """The kept answer, or None."""
        if self.folder is None:
            return None
        try:
            with private.folder(self.folder, make=False, apart=False) as within:
                data = private.read(within, self.name_of(asked), MOST_BYTES)
            return None if data is None else _answer(json.loads(data))
        except private.Refused as error:
            self._refuse(error)
        except (OSError, ValueError, RecursionError):
            pass
        return None

    def keep(self, asked: Any, answer: Scored) -> None:
        """Keep an answer, unless the answer calls tools."""
        if self.folder is None or answer.calls:
            return
        try:
            data = json.dumps({"text": answer.text, "logprobs": answer.logprobs}).encode()
            if len(data) <= MOST_BYTES:
                with private.folder(self.folder, apart=False) as within:
                    private.replace(within, self.name_of(asked), data)
        except private.Refused as error:
            self._refuse(error)
        except OSError:
            pass

    def _refuse(self, error: private.Refused) -> None:
        terminal.complain(f"graphmend: answers are not kept, `{self.folder}`: {error}")
        self.folder = None


def _answer(data: Any) -> Optional[Scored]:
    """An answer in the format of `keep`; None for other data."""
    if not isinstance(data, dict) or data.get("calls") or not isinstance(data.get("text"), str):
        return None
    rows = data.get("logprobs")
    if rows is not None and not (isinstance(rows, list) and all(map(_is_row, rows))):
        return None
    return Scored(data["text"], rows, [])


def _is_row(row: Any) -> bool:
    return isinstance(row, dict) and all(isinstance(value, (int, float)) for value in row.values())
