"""The request of a call without sending the request, and its size.

    hire.explain("Ann Miller, 41").tokens     # 26

The number of tokens is exact with a tokenizer, and otherwise an estimate.
"""

from __future__ import annotations

import re
from typing import Any, Optional


class Explanation:
    """The request of a call, and its size."""

    def __init__(self, prompt: str, schema: dict[str, Any], tools: Optional[list[dict[str, Any]]] = None) -> None:
        self.prompt = prompt
        self.schema = schema
        self.tools = tools or []
        self.characters = len(prompt)
        counted = count_tokens(prompt)
        self.counted = counted is not None  # whether `tokens` is exact, in the o200k vocabulary
        self.tokens = counted if counted is not None else estimate_tokens(prompt)

    def __str__(self) -> str:
        tools = "".join(f"\n[tool {tool['function']['name']}]" for tool in self.tools)
        size = f"{self.tokens} tokens" if self.counted else f"about {self.tokens} tokens, estimated"
        return f"{self.prompt}\n{tools}\n[{size}]"


def count_tokens(text: str) -> Optional[int]:
    """The number of tokens in the o200k vocabulary, where tiktoken and its vocabulary are at hand."""
    try:
        import tiktoken  # type: ignore[import-not-found]

        return len(tiktoken.get_encoding("o200k_base").encode(text, disallowed_special=()))
    except Exception:
        return None


_PIECES = re.compile(r" ?[^\W\d_]+| ?\d{1,3}| ?[^\w\s]+|\s+|_")


def estimate_tokens(text: str) -> int:
    """An estimate of the number of tokens, rather too high than too low.

    A word of up to eight letters is one token, and so are up to three digits and the signs between two words.
    """
    count = 0
    for piece in _PIECES.findall(text):
        size = len(piece.encode())
        if piece.strip().isalpha() and not piece.isascii():
            count += -(-size // 4)
        else:
            count += -(-size // 9) if piece.strip().isalpha() else -(-size // 3)
    return count
