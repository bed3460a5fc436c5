"""A name for a question: the same facts give the same name, in every process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import sha256

import numpy as np

from splitwise_plan import __version__

SAYS_NOTHING = frozenset({"sources", "resolved_toml", "portable_toml", "prices", "where"})
"""Fields of a scenario that say where its facts come from, which changes no answer."""


def fingerprint(asked: object, about: str = "") -> str:
    """Sha256 of every fact of a scenario, or several, of this version, and of `about`."""
    return sha256("\n".join([__version__, about, *_parts(asked)]).encode()).hexdigest()


def same_facts(one: object, other: object) -> bool:
    """Whether two facts, arrays in them included, are the same."""
    return list(_parts(one)) == list(_parts(other))


def _parts(value: object) -> Iterator[str]:
    if is_dataclass(value) and not isinstance(value, type):
        yield type(value).__name__
        for one in fields(value):
            if one.name not in SAYS_NOTHING:
                yield one.name
                yield from _parts(getattr(value, one.name))
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}"
        yield sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    elif isinstance(value, Mapping):
        for key in sorted(value):
            yield repr(key)
            yield from _parts(value[key])
    elif isinstance(value, list | tuple):
        yield str(len(value))
        for one in value:
            yield from _parts(one)
    else:
        yield repr(value)
