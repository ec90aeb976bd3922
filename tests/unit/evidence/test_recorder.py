from pathlib import Path

import pytest

from faultyard.clusters.errors import Refused
from faultyard.evidence.recorder import Recorder, sealed
from faultyard.model import files, manifests


def test_a_sealed_record_fits_its_manifest_until_a_file_changes(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "record")
    recorder.write_json("trial.json", {"schema": 1})
    recorder.write("snapshots/before.json", b"{}")
    recorder.seal()
    assert manifests.complaints(files.read_folder(recorder.folder)) == []
    (recorder.folder / "snapshots/before.json").write_bytes(b"{ }")
    assert manifests.complaints(files.read_folder(recorder.folder)) != []


def test_a_sealed_record_is_never_written_over(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    recorder.seal()
    assert sealed(tmp_path)
    with pytest.raises(Refused, match="holds a record already"):
        Recorder(tmp_path)


def test_what_a_trial_left_that_was_cut_off_does_not_get_into_the_next_record(
    tmp_path: Path,
) -> None:
    Recorder(tmp_path).write("audit.jsonl", b"old")
    Recorder(tmp_path).seal()
    assert list(files.read_folder(tmp_path)) == [manifests.NAME]
