"""What stands around a random program: modules with state, all forms of dropout, loggers, streams, records, optimisers.

Each feature has the lines that it needs in front of the program or in its module, and templates like those of
`grammar.py`. `look` of a program shows what its surroundings have seen.
"""

from __future__ import annotations

# In front of the program, by feature.
HEADS = {
    "receivers": """
        class Counting(logging.Filter):
            seen = 0
            def filter(self, record):
                self.seen += 1
                record.number = self.seen
                return self.seen % 4 != 0
        class Numbered(logging.Formatter):
            def format(self, record):
                return f"{record.number} {record.levelname} {record.funcName} {record.getMessage()}"
        class Lines(logging.Handler):
            def __init__(self):
                super().__init__()
                self.lines = []
            def emit(self, record):
                self.lines.append(self.format(record))
        COUNTER, LINES = Counting(), Lines()
        LINES.setFormatter(Numbered())
        own = logging.getLogger("program.own")
        own.handlers[:], own.filters[:], own.propagate = [LINES], [COUNTER], False
        own.setLevel(logging.DEBUG)
    """,
    "keepers": """
        class Keep(logging.Handler):
            def __init__(self):
                super().__init__()
                self.records = []
            def emit(self, record):
                self.records.append(record)
        KEEP = Keep()
        kept = logging.getLogger("program.kept")
        kept.handlers[:], kept.propagate = [KEEP], False
        kept.setLevel(logging.DEBUG)
    """,
    "streams": """
        class Tee:
            def __init__(self):
                self.lines = []
            def write(self, text):
                self.lines.append(text)
                return len(text)
            def flush(self):
                pass
        TEE, TEXT = Tee(), io.StringIO()
    """,
    "records": """
        class Meter:
            def __init__(self):
                self.sum, self.count, self.best = 0.0, 0, None
            def update(self, value, n=1):
                self.sum += value * n
                self.count += n
                self.best = value if self.best is None else max(self.best, value)
            @property
            def mean(self):
                return self.sum / max(self.count, 1)
            def __repr__(self):
                return f"Meter({self.sum:.3f}, {self.count})"
        @dataclasses.dataclass
        class Row:
            name: str
            value: float = 0.0
            extra: list = dataclasses.field(default_factory=list)
        METER, ROWS = Meter(), []
    """,
}
# What `look` shows of them.
LOOKS = {
    "receivers": "COUNTER.seen, LINES.lines",
    "keepers": "[(r.getMessage(), r.levelname) for r in KEEP.records]",
    "streams": "TEE.lines, TEXT.getvalue()",
    "records": "repr(METER), METER.best, [repr(row) for row in ROWS]",
}
# In the constructor of the module.
PARTS = {
    "dropouts": "self.drops = torch.nn.ModuleList([torch.nn.AlphaDropout(0.3), torch.nn.FeatureAlphaDropout(0.3), "
    "torch.nn.Dropout1d(0.5), torch.nn.RReLU(), torch.nn.Dropout(0.25, inplace=True)])",
    "attention": "self.attention = torch.nn.MultiheadAttention(3, 1, dropout=0.3, batch_first=True)",
    "stateful": "self.cumulative = torch.nn.BatchNorm1d(3, momentum=None)\n"
    "self.spectral = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(3, 3))\n"
    "self.register_buffer('average', torch.zeros(3), persistent=False)",
    "hooked": "self.linear.register_forward_hook(after)\nself.gate.register_forward_pre_hook(before)",
}
HOOKS = """
        def after(module, args, output):
            SEEN.append(len(SEEN))
            return output * 2 if len(SEEN) % 3 == 0 else None
        def before(module, args):
            print("gate", tuple(args[0].shape))
"""
HEADS["hooked"] = HOOKS

EXPRESSIONS: dict[str, list[tuple[str, str]]] = {
    "M": [
        ("dropouts float", "torch.nn.functional.alpha_dropout({M}, 0.4, True)"),
        ("dropouts float", "torch.nn.functional.feature_alpha_dropout({M}, 0.4, True)"),
        ("dropouts float", "torch.nn.functional.dropout1d({M}, 0.5, True)"),
        ("dropouts float", "torch.nn.functional.dropout({M} * 1, 0.5, True, True)"),
        ("dropouts float", "torch.nn.functional.rrelu({M}, training=True)"),
        ("dropouts float", "torch.nn.functional.gumbel_softmax({M})"),
        ("dropouts float", "torch.dropout({M}, 0.5, True)"),
        ("dropouts float", "torch.native_dropout({M}, 0.5, True)[0]"),
        ("dropouts float", "{M} * torch.bernoulli(torch.full((2, 3), 0.5)).to(x.dtype)"),
        ("dropouts module float", "self.drops[0]({M})"),
        ("dropouts module float", "self.drops[2]({M})"),
        ("dropouts module float", "self.drops[3]({M})"),
        ("dropouts module float", "self.drops[4]({M} + 0)"),
        ("attention module float", "self.attention({M}[None], {M}[None], {M}[None], need_weights=False)[0][0]"),
        ("attention float", "torch.nn.functional.scaled_dot_product_attention({M}, {M}, {M}, None, 0.4)"),
        ("stateful module float", "self.cumulative({M})"),
        ("stateful module float", "self.spectral({M})"),
        ("stateful module", "{M} + self.average"),
        ("streams", "{M} * len(TEE.lines)"),
    ],
    "P": [
        ("streams", "len(TEE.lines)"),
        ("streams", "len(TEXT.getvalue())"),
        ("receivers", "COUNTER.seen"),
        ("receivers", "len(LINES.lines)"),
        ("records", "METER.count"),
        ("records", "METER.mean"),
        ("records", "len(ROWS)"),
    ],
    "B": [
        ("records", "METER.count > 2"),
        ("records", "METER.best is not None and METER.best > {#}"),
        ("receivers", "own.isEnabledFor(logging.INFO)"),
        ("streams", "len(TEE.lines) > 3"),
    ],
}
STATEMENTS: list[tuple[str, str]] = [
    ("dropouts float", "torch.nn.functional.dropout({m}, 0.5, True, True)"),
    ("dropouts float", "torch.nn.functional.alpha_dropout({m}, 0.3, True, True)"),
    ("dropouts float", "torch.nn.functional.rrelu_({m}, 0.1, 0.3, True)"),
    ("stateful module", "self.average = self.average * 0.9 + {V}.detach() * 0.1"),
    ("stateful module", "self.average.lerp_({V}.detach().to(self.average.dtype), 0.5)"),
    ("receivers", 'own.info("mean %.3f", {S}.item())'),
    ("receivers", 'own.warning("row %s", {V}.tolist())'),
    ("receivers", 'own.debug("all %s", {M})'),
    ("receivers", 'own.error(f"sum {{S}.item():.2f}", extra={"part": {P}})'),
    ("receivers", 'own.log(25, "%(a)s", {"a": {S}.item()})'),
    ("keepers", 'kept.info("all %s", {M})'),
    ("keepers", 'kept.info("all %s", {m})'),
    ("keepers", 'kept.info("list %s", [{v}, {P}])'),
    ("keepers", 'kept.warning("sum %s", {S}.item())'),
    ("keepers inplace", 'kept.info("v %s", {v}); {=}.mul_({#})'),
    ("streams", "print({S}.item(), file=TEE)"),
    ("streams", "print({V}, {P}, file=TEE)"),
    ("streams", "print({S}.item(), file=TEXT)"),
    ("streams", "TEXT.write(f'{{S}.item():.2f};')"),
    ("streams", "with contextlib.redirect_stdout(TEXT): print({V})"),
    ("streams", "with contextlib.redirect_stdout(TEE): print({S}.item())"),
    ("records", "METER.update({S}.item())"),
    ("records", "METER.update({S}.item(), {P})"),
    ("records", "print(METER, METER.mean)"),
    ("records", "print(f'{METER.mean:.3f} {METER}')"),
    ("records", "ROWS.append(Row('a', {S}.item(), [{P}]))"),
    ("records", "ROWS.append(Row('b', extra=[{V}.detach().clone()]))"),
    ("records", "if ROWS: ROWS[-1].value += {S}.item()"),
    ("records", "if ROWS: ROWS[-1].extra.append({P})"),
    ("records", "row = Row('c', {S}.item()); print(row); row.extra.append(1); ROWS.append(row)"),
]
FEATURES = ["dropouts", "attention", "stateful", "hooked", "receivers", "keepers", "streams", "records"]
OPTIMISERS = {"": 6, "SGD": 1, "Adam": 1, "RMSprop": 1}  # how often a training loop has each


def head_of(features: frozenset[str]) -> list[str]:
    """The lines in front of a program with some features."""
    lines = [line[8:] for name in HEADS if name in features for line in HEADS[name].rstrip().split("\n")[1:]]
    looks = [LOOKS[name] for name in LOOKS if name in features]
    return [*lines, *([f"look = lambda: [{', '.join(looks)}]"] if looks else [])]


def parts_of(features: frozenset[str]) -> list[str]:
    """The lines in the constructor of a module with some features."""
    return [line for name in PARTS if name in features for line in PARTS[name].split("\n")]
