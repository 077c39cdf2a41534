"""Settings: flags before environment before file, and clear words for what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from harmony.service.settings import Settings, SettingsError


def test_flags_win_over_environment_and_environment_over_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "harmony.toml"
    config.write_text('port = 1\nhost = "file"\ndatabase = "file.db"\n')
    monkeypatch.setenv("HARMONY_PORT", "2")
    monkeypatch.setenv("HARMONY_HOST", "environment")
    settings = Settings.load(config, port=3, host=None)
    assert (settings.port, settings.host, settings.database) == (3, "environment", "file.db")


@pytest.mark.parametrize("name", ["settings.yaml", "settings.json"])
def test_a_file_may_be_yaml_or_json(tmp_path: Path, name: str) -> None:
    config = tmp_path / name
    config.write_text('{"port": 7}')
    assert Settings.load(config).port == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "'prot' is not a setting"),
        ("port = 'x'", "'port'"),
        ("port = 99999", "'port'"),
        ("enrolment = 'all'", "'enrolment'"),
        ("= 1", "not valid TOML"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, said: str) -> None:
    config = tmp_path / "harmony.toml"
    config.write_text(text)
    with pytest.raises(SettingsError, match=said):
        Settings.load(config)


def test_the_environment_may_name_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "harmony.toml"
    config.write_text("port = 4")
    monkeypatch.setenv("HARMONY_CONFIG", str(config))
    assert Settings.load().port == 4


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.load(tmp_path / "nothing.toml")
