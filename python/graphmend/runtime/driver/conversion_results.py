"""Results of a frame's conversion, in Dynamo's form: values that a callback returns, and the judgement of a result.

return run_as_is()          # Dynamo runs this frame in eager Python, and converts the frames that it calls
return run_as_is_once()     # the same, but the next call of the function asks the callback again
"""

from __future__ import annotations

from typing import Any, Optional

from ..base import folders, torch_names

RESUME_NAMES = ("__resume_at", "torch_dynamo_resume_in")  # functions that continue behind a graph break


def run_as_is() -> Any:
    """The result for a frame in eager Python whose callees Dynamo converts.

    Dynamo traces functions of the runtime as parts of their callers, also of callers in eager Python.
    """
    from ..base.torch_names import ConvertFrameReturn, FrameAction, FrameExecStrategy

    return ConvertFrameReturn(frame_exec_strategy=FrameExecStrategy(FrameAction.SKIP, FrameAction.DEFAULT))


def run_as_is_once() -> Any:
    """The result for a frame in eager Python, in the current call only: Python itself raises the exception."""
    from ..base.torch_names import ConvertFrameReturn

    return ConvertFrameReturn()


def compiles(result: Any) -> bool:
    """Whether a conversion has compiled its frame."""
    return getattr(result, "guarded_code", None) is not None


def is_refusal(error: Exception) -> bool:
    """Whether an error is a refusal of the program by Dynamo or the backend; further errors are their faults."""
    internal = isinstance(error, torch_names.InternalTorchDynamoError)
    return isinstance(error, torch_names.TorchDynamoException) and not internal


def forget_strictness(convert: Any) -> None:
    """Reset Dynamo's note of the last conversion, by which Dynamo judges a conversion with an early end."""
    box = getattr(getattr(convert, "_inner_convert", None), "_box", None)
    if box is not None:
        box.error_on_graph_break = False


def not_one_graph(frame: Any, result: Any) -> Optional[Exception]:
    """The reason why a converted frame holds no whole call; None for a whole call or a forwarding frame."""
    guarded = getattr(result, "guarded_code", None)
    if guarded is None:
        if frame.f_code.co_filename.startswith(folders.TORCH):
            return None
        return RuntimeError(getattr(result, "skip_reason", None) or "frame skipped")
    if any(name.startswith(RESUME_NAMES) for name in guarded.code.co_names):
        return RuntimeError("graph break")
    return None
