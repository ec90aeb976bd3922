import json
from pathlib import Path

import pytest

from faultyard.clusters.errors import WrongFolder
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
    with pytest.raises(WrongFolder, match="holds a record already"):
        Recorder(tmp_path)


def test_what_a_trial_left_that_was_cut_off_does_not_get_into_the_next_record(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "record"
    left = Recorder(folder)
    left.write("trial.json", b"old")
    left.write("snapshots/before.json", b"old")
    recorder = Recorder(folder)
    assert not folder.exists()
    recorder.write("audit.jsonl", b"")
    recorder.seal()
    assert list(files.read_folder(folder)) == ["audit.jsonl", manifests.NAME]


def test_a_trial_that_wrote_nothing_leaves_no_folder(tmp_path: Path) -> None:
    Recorder(tmp_path / "records/demo")
    assert list(tmp_path.iterdir()) == []


def test_files_of_no_record_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(WrongFolder, match="of no record"):
        Recorder(tmp_path)
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_what_a_link_in_a_record_leads_to_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    folder = tmp_path / "record"
    Recorder(folder).write("trial.json", b"old")
    (folder / "link").symlink_to(tmp_path)
    Recorder(folder)
    assert (tmp_path / "letter.txt").read_text() == "dear"


def test_half_a_character_in_what_went_wrong_does_not_stop_the_record(tmp_path: Path) -> None:
    Recorder(tmp_path).write_json("trial.json", {"message": "node\udcff"})
    assert json.loads((tmp_path / "trial.json").read_bytes()) == {"message": "node\udcff"}
