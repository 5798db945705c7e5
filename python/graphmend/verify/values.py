"""Values as plain data with types, order and contents, for comparison between processes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import types
from typing import Any, Optional

import torch

from .store import Writer

WHOLE = 1 << 16  # elements of a tensor that are kept one by one; of larger ones a part, and figures of all blocks
BLOCKS = 1 << 10
DEPTH = 8
TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
PLAIN = (bool, int, float, complex, str, type(None))
OPAQUE = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType, torch.nn.Module)


def without_addresses(text: str) -> str:
    """A text without addresses of objects."""
    return ADDRESS.sub("0x", text)


def type_name(value: Any) -> str:
    """The qualified name of the type of a value."""
    return f"{type(value).__module__}.{type(value).__qualname__}"


def bytes_of(tensor: torch.Tensor) -> memoryview:
    """The bytes of a contiguous tensor in host memory, not copied: the tensor must live as long."""
    size = tensor.numel() * tensor.element_size()
    return memoryview((ctypes.c_char * size).from_address(tensor.data_ptr()) if size else b"").cast("B")


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """The contents of any tensor as a contiguous, real, dense one in host memory."""
    data = tensor.detach()
    if data.is_quantized:
        data = data.dequantize()
    elif data.layout != torch.strided:
        data = data.to_dense()
    data = data.resolve_conj().resolve_neg()
    if data.is_complex():
        data = torch.view_as_real(data)
    return data.cpu().contiguous().reshape(-1)


def numbers(flat: torch.Tensor) -> tuple[str, torch.Tensor]:
    """Elements in the widest type of their kind, with its code for `array`."""
    if flat.is_floating_point():
        return "d", flat.double()
    return "q", flat.to(torch.int64)


def figures(flat: torch.Tensor) -> torch.Tensor:
    """Sum, least and greatest of each block of a large tensor: each element counts."""
    if flat.dtype == torch.bool:
        flat = flat.to(torch.uint8)
    whole = flat[: flat.numel() // BLOCKS * BLOCKS].reshape(BLOCKS, -1)
    wide = torch.float64 if flat.is_floating_point() else torch.int64
    parts = (whole.sum(1, dtype=wide), whole.amin(1).to(wide), whole.amax(1).to(wide), flat[whole.numel() :].to(wide))
    return torch.cat(parts)


class Describer:
    """Turns values into data, and keeps the contents of their tensors."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    def tensor(self, tensor: torch.Tensor) -> dict[str, Any]:
        """Type, layout and contents of a tensor."""
        record: dict[str, Any] = {
            "tensor": type_name(tensor),
            "dtype": str(tensor.dtype),
            "shape": list(tensor.shape),
            "requires_grad": tensor.requires_grad,
            "device": tensor.device.type,
        }
        if tensor.layout == torch.strided and not tensor.is_quantized:
            record["stride"] = list(tensor.stride())
        try:
            flat = dense(tensor)
        except (RuntimeError, NotImplementedError):
            return {**record, "unreadable": True}
        record["key"] = self.keep(flat)
        return record

    def keep(self, flat: torch.Tensor) -> str:
        """Keep elements; returns their key."""
        digest = hashlib.sha1(f"{flat.dtype} {flat.numel()} ".encode())
        digest.update(bytes_of(flat))
        key = digest.hexdigest()
        if key not in self.writer.known:
            step = -(-flat.numel() // WHOLE) or 1
            code, kept = numbers(flat[::step])
            if step > 1:
                kept = torch.cat((kept, figures(flat).to(kept.dtype)))
            kept = kept.contiguous()
            self.writer.keep(key, code, bytes_of(kept))
        return key

    def value(self, value: Any, depth: int = 0, above: tuple[int, ...] = ()) -> Any:
        """Any value as data."""
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        name = type_name(value)
        if type(value) in PLAIN:
            return {"type": name, "value": value if not isinstance(value, (complex, float)) else repr(value)}
        if isinstance(value, OPAQUE):
            return {"type": name, "name": getattr(value, "__qualname__", None)}
        if depth > DEPTH or id(value) in above:
            return {"type": name}
        return {"type": name, **self.parts(value, name, depth + 1, (*above, id(value)))}

    def parts(self, value: Any, name: str, depth: int, above: tuple[int, ...]) -> dict[str, Any]:
        """What a value is made of."""
        if isinstance(value, dict):
            items = list(value.items())
            return {"items": [[self.key(key), self.value(item, depth, above)] for key, item in items]}
        if isinstance(value, (list, tuple)) or name == "collections.deque":
            return {"items": [self.value(item, depth, above) for item in value]}
        if isinstance(value, (set, frozenset)):
            return {"items": sorted((self.value(item, depth, above) for item in value), key=repr)}
        if isinstance(value, (bytes, bytearray)):
            return {"value": bytes(value).hex()}
        if name.startswith("numpy."):
            return self.array(value, depth, above)
        own = getattr(value, "__dict__", None)
        if isinstance(own, dict) and not name.startswith(("logging.", "threading.", "torch.", "_io.")):
            return {"attributes": {key: self.value(item, depth, above) for key, item in sorted(own.items())}}
        return {"value": str(value)} if name.startswith("torch.") and own is None else {}

    def key(self, key: Any) -> str:
        """The key of a dictionary as text."""
        return without_addresses(repr(key)) if type(key) in (*PLAIN, tuple, bytes) else type_name(key)

    def array(self, value: Any, depth: int, above: tuple[int, ...]) -> dict[str, Any]:
        """An array or number of NumPy."""
        try:
            return {"array": self.tensor(torch.from_numpy(value))}
        except (TypeError, ValueError, RuntimeError):
            dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
            return {"dtype": str(dtype), "value": repr(value)} if shape == () else {"dtype": str(dtype)}


def error_of(error: Optional[BaseException]) -> Optional[dict[str, Any]]:
    """Type, text and cause of an exception."""
    if error is None:
        return None
    cause = error.__cause__
    try:
        text = str(error)
    except Exception as failed:
        text = f"({type(failed).__name__} in its text)"
    return {
        "type": type_name(error),
        "text": without_addresses(text)[:4000],
        "cause": type_name(cause) if cause is not None else None,
    }


def tensors_in(value: Any) -> list[torch.Tensor]:
    """All tensors in a nested structure, in order."""
    from torch.utils import _pytree as pytree

    return [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]
