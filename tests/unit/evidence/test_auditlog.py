from pathlib import Path

from faultyard.evidence.auditlog import AuditLog


def test_only_whole_lines_since_the_beginning_are_read(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    file.write_bytes(b"earlier\n")
    log = AuditLog(file)
    log.begin()
    with file.open("ab") as out:
        out.write(b"first\nsecond\nhalf a li")
    assert log.read() == b"first\nsecond\n"


def test_what_the_server_put_aside_meanwhile_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    (tmp_path / "audit-2026-01-01T00-00-00.000.jsonl").write_bytes(b"long ago\n")
    file.write_bytes(b"earlier\n")
    log = AuditLog(file)
    log.begin()
    file.write_bytes(b"earlier\nfirst\n")
    file.rename(tmp_path / "audit-2026-01-02T00-00-00.000.jsonl")
    file.write_bytes(b"second\nhalf")
    assert log.read() == b"first\nsecond\n"
