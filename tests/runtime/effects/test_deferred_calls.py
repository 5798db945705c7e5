"""Pure calls with numbers that data decide: made behind the graph, where their results are shown or recorded."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda n=n: (torch.tensor([n, 2.0, 0.5]),) for n in (1.25, -3.0, 6.5)]

START = """
    import base64, html, json, logging, textwrap, uuid
    from datetime import datetime, timedelta
    from decimal import ROUND_HALF_UP, Decimal
    from fractions import Fraction
    import torch

    log = logging.getLogger(__name__)
    log.setLevel(logging.INFO)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lines = []
            self.last = None

        def shown(self):
            return repr((self.lines, self.last))

        def forward(self, x):
            y = x * 2
            n = y.sum().item()
            BODY
            return y + 1

    make = Model
    """

WHOLE = {
    "json": "line = json.dumps({'sum': n, 'step': 3}, sort_keys=True); print(line); log.info('row %s', line)",
    "json that is recorded": "line = json.dumps({'sum': round(n, 3)}); self.lines.append(line)",
    "a list": "line = json.dumps([int(n), [n]]); print('a'); print(line, line)",
    "a duration": "left = timedelta(seconds=n); print('eta', left)",
    "attributes and methods": "left = timedelta(days=n); print(left.days); print(left.total_seconds() / 60)",
    "decimals": "d = Decimal(n).quantize(Decimal('0.01'), rounding=ROUND_HALF_UP); print(d, d * 2)",
    "fractions": "rate = Fraction(int(n), 7); print(rate, float(rate), rate.numerator)",
    "a text of a number": "t = textwrap.indent(f'{n:.3f}', '> '); print(t); print(textwrap.indent(f'{n:.1f}', '-'))",
    "one call in another": "line = html.escape(json.dumps({'a': n})); print(line)",
    "keys": "key = uuid.uuid5(uuid.NAMESPACE_URL, f'batch {int(n)}'); print(key)",
    "a name in a text": "line = f'step {int(n)} of {n:.2f}'; print(line)",
    "methods of a text": "line = f'{n:.3f}'.rjust(20).upper(); parts = line.split('.'); print(line, parts[0])",
    "joined": "line = ', '.join([f'{n:.3f}', 'b']); print(line.center(30, '*'))",
    "put together": "line = 'n ' + str(n); line += f' {int(n)}'; print(line); t = '%.2f' % n; print(t)",
}
REFUSED = {
    "a decision": "line = json.dumps(n); y = y * 2 if len(line) > 4 else y\n            print(line)",
    "a truth value": "left = timedelta(seconds=n); y = y * 2 if left else y",
    "a type": "line = json.dumps(n); print(isinstance(line, str))",
    "a list that changes": "row = [n]; line = json.dumps(row); row.append(1); print(line, row)",
    "kept in an attribute": "self.last = json.dumps(n); print(n)",
    "what raises": "print('before'); line = Fraction(3, int(n * 0)); print(line)",
    "what is handled": "\n            try:\n                line = json.dumps(float('nan') * n, allow_nan=False)\n"
    "            except ValueError as error:\n                line = str(error)\n            print(line)",
    "a length": "line = str(n) + '!'; y = y * len(line)",
    "a comparison": "line = f'{int(n)}'.strip(); y = y * 2 if line == '6' else y",
    "None": "left = datetime(2020, 1, 1 + int(n > 0)); y = y * 2 if left.tzinfo is None else y; print(left)",
    "a callable": "left = timedelta(seconds=n); y = y + callable(left) + hasattr(left, 'foo'); print(left)",
    "two objects": "a = str(n); b = a; c = str(n); y = y + (a is b); print(a, c)",
    "a key": "table = {json.dumps(n): 1}; print(table)",
}


@pytest.mark.parametrize("name", WHOLE)
def test_results_that_are_shown(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START.replace("BODY", WHOLE[name])), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"
    assert outcome.graphs <= 2


@pytest.mark.parametrize("name", REFUSED)
def test_nobody_can_tell_where_the_value_is_asked_for(name: str, tmp_path: Any) -> None:
    compare(load(tmp_path, START.replace("BODY", REFUSED[name])), CALLS)
