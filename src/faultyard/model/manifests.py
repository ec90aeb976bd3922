"""The manifest that seals a record: a hash for each file.

Hashes show damage (a cut-off copy, an edited line), not forgery: who can edit a file can
also write a new manifest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

NAME = "manifest.json"
SCHEMA = 1


def seal(files: Mapping[str, bytes]) -> bytes:
    """Return the manifest's content for these files (path -> content)."""
    hashes = {path: _digest(files[path]) for path in sorted(files) if path != NAME}
    text = json.dumps({"schema": SCHEMA, "files": hashes}, indent=2)
    return text.encode() + b"\n"


def complaints(files: Mapping[str, bytes]) -> list[str]:
    """Return what does not fit between a folder's files and its manifest, if anything."""
    return list(differing(files).values())


def differing(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the files that are not what was sealed, each with a sentence on what is wrong."""
    if NAME not in files:
        return {NAME: f"{NAME} is missing: the record was never finished, or was cut off"}
    try:
        manifest = json.loads(files[NAME])
    except (ValueError, RecursionError) as error:
        return {NAME: f"{NAME} is not JSON: {error}"}
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        return {NAME: f"{NAME} has an unknown schema (known: {SCHEMA})"}
    listed = manifest.get("files")
    if not isinstance(listed, dict):
        return {NAME: f"{NAME} lists no files"}
    return _differences(files, listed)


def _differences(files: Mapping[str, bytes], listed: Mapping[str, object]) -> dict[str, str]:
    found = {p: f"{p} is in the manifest, but missing" for p in listed if p not in files}
    for path in sorted(files):
        if path == NAME:
            continue
        if path not in listed:
            found[path] = f"{path} is not in the manifest"
        elif listed[path] != _digest(files[path]):
            found[path] = f"{path} is not the file that was sealed (its hash differs)"
    return found


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
