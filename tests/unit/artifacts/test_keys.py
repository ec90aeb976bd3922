from pathlib import Path

from faultyard.clusters.embedded.artifacts.artifact import (
    Artifact,
    Build,
    hash_of_files,
    in_order,
)


def nothing(build: Build) -> None:
    """Builds an empty artifact."""


def test_equal_inputs_give_an_equal_key():
    first = Artifact("tool", "a tool", {"version": "1", "flags": ["x"]}, nothing)
    second = Artifact("tool", "another title", {"flags": ["x"], "version": "1"}, nothing)
    assert first.key == second.key


def test_one_changed_input_gives_another_key():
    first = Artifact("tool", "a tool", {"version": "1"}, nothing)
    second = Artifact("tool", "a tool", {"version": "2"}, nothing)
    assert first.key != second.key


def test_a_changed_need_gives_another_key():
    needs = [Artifact("part", "a part", {"version": v}, nothing) for v in "12"]
    keys = {Artifact("tool", "a tool", {}, nothing, needs=(need,)).key for need in needs}
    assert len(keys) == 2


def test_what_is_needed_comes_first_and_once():
    part = Artifact("part", "", {}, nothing)
    left = Artifact("left", "", {}, nothing, needs=(part,))
    right = Artifact("right", "", {}, nothing, needs=(part,))
    assert in_order([left, right]) == [part, left, right]


def test_a_files_content_name_and_mode_count(tmp_path: Path):
    file = tmp_path / "a"
    hashes = set()
    file.write_text("1")
    hashes.add(hash_of_files(tmp_path, [tmp_path]))
    file.write_text("2")
    hashes.add(hash_of_files(tmp_path, [tmp_path]))
    file.chmod(0o755)
    hashes.add(hash_of_files(tmp_path, [tmp_path]))
    file.rename(tmp_path / "b")
    hashes.add(hash_of_files(tmp_path, [tmp_path]))
    assert len(hashes) == 4


def test_tests_and_notes_do_not_count(tmp_path: Path):
    (tmp_path / "main.go").write_text("package main")
    before = hash_of_files(tmp_path, [tmp_path])
    (tmp_path / "main_test.go").write_text("package main")
    (tmp_path / "README.md").write_text("hello")
    assert hash_of_files(tmp_path, [tmp_path]) == before


def test_the_same_files_elsewhere_give_the_same_hash(tmp_path: Path):
    for name in ("here", "there"):
        (tmp_path / name / "cmd").mkdir(parents=True)
        (tmp_path / name / "cmd" / "main.go").write_text("package main")
    hashes = {hash_of_files(tmp_path / name, [tmp_path / name]) for name in ("here", "there")}
    assert len(hashes) == 1
