"""Results of a frame's conversion, in Dynamo's form: what a callback returns, and how its result is judged.

return run_as_is()          # Dynamo runs this frame in eager Python, and converts the frames that it calls
return run_as_is_once()     # the same, but the next call of the function asks the callback again
"""

from __future__ import annotations

from typing import Any, Optional

from ..base import folders, torch_names

RESUME_NAMES = ("__resume_at", "torch_dynamo_resume_in")  # functions that continue behind a graph break


def run_as_is() -> Any:
    """The result that has Dynamo run a frame in eager Python, and convert the frames that it calls.

    Dynamo traces functions of the runtime as parts of their callers. In eager Python they belong to such a caller.
    """
    from ..base.torch_names import ConvertFrameReturn, FrameAction, FrameExecStrategy

    return ConvertFrameReturn(frame_exec_strategy=FrameExecStrategy(FrameAction.SKIP, FrameAction.DEFAULT))


def run_as_is_once() -> Any:
    """The result that has Dynamo run a frame in eager Python this time, so that Python itself raises its exception."""
    from ..base.torch_names import ConvertFrameReturn

    return ConvertFrameReturn()


def is_refusal(error: Exception) -> bool:
    """Whether Dynamo or the backend refuses the program with this error; other errors are faults of theirs."""
    internal = isinstance(error, torch_names.InternalTorchDynamoError)
    return isinstance(error, torch_names.TorchDynamoException) and not internal


def forget_strictness(convert: Any) -> None:
    """Reset Dynamo's note of the last conversion: when Dynamo gives up early it judges by the conversion before."""
    box = getattr(getattr(convert, "_inner_convert", None), "_box", None)
    if box is not None:
        box.error_on_graph_break = False


def not_one_graph(frame: Any, result: Any) -> Optional[Exception]:
    """The reason why a converted frame does not hold a whole call; None if it does, or if it only forwards a call."""
    guarded = getattr(result, "guarded_code", None)
    if guarded is None:
        if frame.f_code.co_filename.startswith(folders.TORCH):
            return None
        return RuntimeError(getattr(result, "skip_reason", None) or "frame skipped")
    if any(name.startswith(RESUME_NAMES) for name in guarded.code.co_names):
        return RuntimeError("graph break")
    return None
