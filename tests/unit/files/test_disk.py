import pytest

from contextd.files.disk import replace_file, target_inside
from contextd_common.errors import Denied, Unavailable


def test_a_file_is_made_with_its_folders(tmp_path):
    path = tmp_path / "a" / "b" / "file"
    replace_file(path, b"one")
    assert path.read_bytes() == b"one"
    assert path.stat().st_mode & 0o777 == 0o644


def test_replacing_keeps_permissions_and_leaves_nothing_behind(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_refusing_disk_is_a_typed_error_and_the_old_content_stays(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_bytes(b"old")
    with pytest.raises(Unavailable, match="could not be written"):
        replace_file(blocked / "below", b"new")
    (tmp_path / "folder").mkdir()
    with pytest.raises(Unavailable):
        replace_file(tmp_path / "folder", b"new")
    assert blocked.read_bytes() == b"old"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "folder"]


def test_only_what_lands_inside_is_a_target(tmp_path):
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (root / "link").symlink_to(tmp_path / "out")
    (root / "fine").symlink_to("in")
    assert target_inside(root, root / "new") == root.resolve() / "new"
    assert target_inside(root, root / "fine" / "file") == root.resolve() / "in" / "file"
    for path in (root / "link" / "file", root / ".." / "other", tmp_path):
        with pytest.raises(Denied, match="leads outside"):
            target_inside(root, path)
