"""Images as arguments."""

from __future__ import annotations

import base64
import os
from typing import Any, Optional, Union

from graphmend.meaning.errors import UnsupportedType

_STARTS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def _kind(data: bytes) -> str:
    for start, kind in _STARTS:
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise UnsupportedType("neither PNG, JPEG, GIF nor WebP; an Image of another kind needs its media type")


class Image:
    """An image that a model is shown: `Image("a.png")`, `Image(data)` or `Image("https://...")`. A file is read at
    once; an address is looked up by the endpoint, not here."""

    __slots__ = ("url",)

    def __init__(self, source: Union[str, bytes, os.PathLike[str]], media_type: Optional[str] = None) -> None:
        if isinstance(source, str) and source.startswith(("https://", "http://", "data:")):
            self.url = source
            return
        if isinstance(source, bytes):
            data = source
        else:
            with open(source, "rb") as stream:
                data = stream.read()
        self.url = f"data:{media_type or _kind(data)};base64,{base64.b64encode(data).decode()}"

    def __repr__(self) -> str:
        shown = self.url if len(self.url) < 60 else f"{self.url[:40]}... ({len(self.url)} characters)"
        return f"Image({shown!r})"

    def part(self) -> dict[str, Any]:
        """The image in the form of a request."""
        return {"type": "image_url", "image_url": {"url": self.url}}


def images_in(value: Any) -> list[Image]:
    """The images in an argument: an image, or a list or tuple of images alone."""
    if isinstance(value, Image):
        return [value]
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, Image) for item in value):
        return list(value)
    return []
