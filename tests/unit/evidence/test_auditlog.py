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
