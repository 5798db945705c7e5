"""What `@by` makes of a function, for type checkers: the parameters and the result stay those of the function.

    @by(model)
    def hire(resume: str) -> Person: ...

    hire("Ann, 41").name        # a type checker knows Person, and refuses hire(41)
    hire.stream("Ann, 41")      # an iterator over Person

A function declared with `async` keeps its coroutine, and its stream is an asynchronous iterator.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, Callable, Protocol, TypeVar, overload

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    from graphmend.meaning.explanation import Explanation

    P = ParamSpec("P")
    R = TypeVar("R")
    R_co = TypeVar("R_co", covariant=True)

    class Explained(Protocol):
        """What functions that a model answers have in common."""

        def explain(self, *args: Any, **kwargs: Any) -> Explanation:
            """The request of a call, without sending the request."""
            ...

        def meaning(self) -> dict[str, Any]:
            """What the function means, as the core reads it."""
            ...

    class Answered(Explained, Protocol[P, R_co]):
        """A function that a model answers."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...

        def stream(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[R_co]:
            """The growing value, and the whole value at the end."""
            ...

    class AnsweredLater(Explained, Protocol[P, R_co]):
        """A function declared with `async` that a model answers."""

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, R_co]: ...

        def stream(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R_co]:
            """The growing value, and the whole value at the end."""
            ...

    class Decorator(Protocol):
        """What `by(model)` gives."""

        @overload  # a coroutine function is a function, too: checkers take the first that fits
        def __call__(  # type: ignore[overload-overlap]
            self, function: Callable[P, Coroutine[Any, Any, R]], /
        ) -> AnsweredLater[P, R]: ...

        @overload
        def __call__(self, function: Callable[P, R], /) -> Answered[P, R]: ...
