"""The JSON Schema of a record, as a Python value: `schema.json` is this, written out for other programs."""

import json
from functools import cache
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).with_name("schema.json")


@cache
def schema() -> dict[str, Any]:
    """The schema that each line of a report in JSON lines satisfies.

    >>> schema()["$schema"]
    'https://json-schema.org/draft/2020-12/schema'
    """
    loaded: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return loaded
