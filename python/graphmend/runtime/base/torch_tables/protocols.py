"""Annotations for classes of torch that have none, read by mypy alone.

    class Recorder(TorchDispatchMode):        # at run time: torch.utils._python_dispatch.TorchDispatchMode
        def __init__(self) -> None:
            super().__init__()                # without this module, mypy knows neither base nor constructor

Each class has the methods that the runtime calls or extends, under the name of the class in torch. `torch_names` hands
out torch's own class at run time, and this class to mypy.
"""

from __future__ import annotations

import types
from typing import Any, Optional, TypeVar

Mode = TypeVar("Mode", bound="TorchDispatchMode")


class TorchDispatchMode:
    """A mode whose `__torch_dispatch__` sees every operator of torch called in a `with` block."""

    def __init__(self) -> None: ...

    def __enter__(self: Mode) -> Mode:
        """Put the mode in force."""
        raise NotImplementedError

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[types.TracebackType],
    ) -> None: ...

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """Called in place of the operator `func`."""
        raise NotImplementedError


class RemovableHandleVariable:
    """Dynamo's variable of the handle of a hook; `idx` is REMOVED after `remove()`."""

    REMOVED: int
    idx: Any

    def __init__(self, **options: Any) -> None: ...

    def call_method(self, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
        """The result of a method of the handle."""

    def reconstruct(self, codegen: Any) -> None:
        """Emit the instructions that make the handle."""
