"""The page: one HTML file that asks nobody for anything.

What it shows was written by an agent that may mean harm: names, bodies, output. Three walls:
every value is escaped by the template engine, control characters are made visible, and the
page's own policy lets the browser run and style only what is hashed here.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from faultyard.reports.hidden import shown

_STYLES: Final = ("vendor/uplot/uPlot.min.css", "page/report.css")
_SCRIPTS: Final = ("vendor/uplot/uPlot.iife.min.js", "page/report.js")


def fill(values: Mapping[str, Any]) -> str:
    """Return the page with a report's values in it."""
    styles, scripts = [_asset(path) for path in _STYLES], [_asset(path) for path in _SCRIPTS]
    # Every page is a copy of the library, and its licence wants to stand in every copy.
    scripts[0] = f"/*\n{_asset('vendor/uplot/LICENSE')}*/\n{scripts[0]}"
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src {_sources(styles)}",
            f"script-src {_sources(scripts)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    # These are files of ours, not values: they go in as they are, or the hashes would not fit.
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            **values,
            policy=Markup(policy),
            styles=[Markup(style) for style in styles],
            scripts=[Markup(script) for script in scripts],
        )
    )


def _visible(value: object) -> object:
    """Return a value of the page as it is shown; what is no text, or is safe as it is, stays."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def breakable(text: str) -> Markup:
    """Return a text, escaped, in which a line may break between the parts of a path."""
    parts = re.split(r"(?<=[.\]/])(?=\w)|(?<=\w)(?=\[)", shown(text))
    return Markup("<wbr>").join(parts)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("faultyard.reports", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = breakable
    return environment


def _asset(path: str) -> str:
    return resources.files("faultyard.reports").joinpath(path).read_text(encoding="utf-8")


def _sources(texts: list[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
