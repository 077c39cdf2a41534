"""Settings: flags first, then `HARMONY_*` from the environment, then a file, then defaults."""

from __future__ import annotations

import json
import os
import tomllib
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from harmony.errors import HarmonyError
from harmony.files import read_structured


class SettingsError(HarmonyError):
    """A setting is unknown or has a value that it cannot take."""


class Settings(BaseSettings):
    """Everything that `harmony serve` can be told.

    >>> Settings.load(port=9000).port
    9000
    """

    model_config = SettingsConfigDict(env_prefix="HARMONY_", extra="forbid")

    database: str = Field("harmony.db", description="a SQLite file, or postgresql://...")
    host: str = Field("127.0.0.1", description="the address to listen on")
    port: int = Field(8000, ge=0, le=65535, description="the port to listen on; 0 takes a free one")
    workers: int = Field(
        1, ge=1, le=64, description="how many processes serve; more than 1 needs PostgreSQL"
    )
    public_url: str = Field("", description="how devices and people reach the server")
    operator: str = Field(
        "", max_length=400, description="who asks, and how to reach them; public pages say it"
    )
    enrolment: Literal["open", "key", "list"] = Field(
        "open", description="who may enrol: anyone, holders of a key, or entries of a list"
    )
    enrolled_before: bool = Field(
        False, description="devices report only to rounds that opened after they enrolled"
    )
    stratum_reports: int = Field(
        100, ge=1, description="the fewest reports that a stratum is estimated from by itself"
    )
    be_a_device: bool = Field(
        False, description="anyone may answer as a device of their own on /be-a-device/SURVEY"
    )
    batch_reports: int = Field(1000, ge=1, description="commit when so many reports wait")
    batch_milliseconds: float = Field(
        2.0, ge=0, le=1000, description="commit when reports have waited so long for others"
    )
    queue_reports: int = Field(
        200_000, ge=1, description="respond 503 when so many reports wait for their commit"
    )
    database_seconds: float = Field(
        30.0, ge=1, le=3600, description="how long the database may take for a commit or a query"
    )
    body_bytes: int = Field(8 << 20, ge=1024, description="the largest batch of a gateway")
    document_bytes: int = Field(1 << 20, ge=1024, description="the largest of other bodies")
    header_bytes: int = Field(16 << 10, ge=1024, description="the largest head of a request")
    head_seconds: float = Field(
        15.0, gt=0, description="how long a first byte, and a request's head, may take"
    )
    body_seconds: float = Field(30.0, gt=0, description="how long a request's body may take")
    response_seconds: float = Field(
        60.0, gt=0, description="how long a client may read nothing of its response"
    )
    idle_seconds: float = Field(
        75.0, gt=0, description="how long a connection may wait for its next request"
    )
    connections: int = Field(4096, ge=1, description="how many connections a worker serves")
    address_connections: int = Field(
        512, ge=0, description="connections from one address at once; 0 for no limit"
    )
    address_rate: float = Field(
        500.0, ge=0, description="requests a second from one address; 0 for no limit"
    )
    address_burst: int = Field(5000, ge=1, description="requests from one address at once")
    credential_rate: float = Field(
        50.0, ge=0, description="requests a second with one credential; 0 for no limit"
    )
    credential_burst: int = Field(500, ge=1, description="requests with one credential at once")
    enrolment_rate: float = Field(
        10.0, ge=0, description="enrolments a second from one address; 0 for no limit"
    )
    enrolment_burst: int = Field(1000, ge=1, description="enrolments from one address at once")
    trusted_proxies: str = Field(
        "", description="proxies whose X-Forwarded-For is believed, with commas between"
    )
    cors_origins: Annotated[list[str], NoDecode] = Field(
        default_factory=list, description="origins whose pages may call the API"
    )
    drain_seconds: float = Field(
        20.0, ge=0, description="how long requests under way may take when the server stops"
    )
    log_format: Literal["json", "console"] = Field("console", description="how log lines look")
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def proxies(self) -> list[str]:
        """The proxies that are believed, one by one."""
        return [one.strip() for one in self.trusted_proxies.split(",") if one.strip()]

    @field_validator("trusted_proxies")
    @classmethod
    def _name_networks(cls, given: str) -> str:
        """Refuse what is no address: it would be believed of nobody, or of everybody."""
        for one in given.split(","):
            try:
                ip_network(one.strip() or "::")
            except ValueError:
                raise ValueError(
                    "it must be addresses or networks, such as 127.0.0.1 or 10.0.0.0/8, with "
                    "commas between"
                ) from None
        return given

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _separate(cls, given: Any) -> Any:
        """Read origins with commas between, as the environment and flags have them, or as JSON."""
        if not isinstance(given, str):
            return given
        if given.lstrip().startswith("["):
            try:
                return json.loads(given)
            except ValueError:
                raise ValueError("it must be origins with commas between, or JSON") from None
        return [origin.strip() for origin in given.split(",") if origin.strip()]

    @classmethod
    def load(cls, config: str | Path | None = None, **flags: Any) -> Settings:
        """Return the settings from flags (those that are not None), environment and a file.

        Without `config`, the environment's HARMONY_CONFIG names the file, if any.
        """
        config = config or os.environ.get("HARMONY_CONFIG")
        stored = _read_config(config) if config else {}

        class Loaded(cls):  # type: ignore[misc, valid-type]  # adds the file to the sources
            @classmethod
            def settings_customise_sources(
                cls,
                settings_cls: type[BaseSettings],
                init_settings: PydanticBaseSettingsSource,
                env_settings: PydanticBaseSettingsSource,
                dotenv_settings: PydanticBaseSettingsSource,
                file_secret_settings: PydanticBaseSettingsSource,
            ) -> tuple[PydanticBaseSettingsSource, ...]:
                return init_settings, env_settings, InitSettingsSource(settings_cls, stored)

        given = {name: value for name, value in flags.items() if value is not None}
        try:
            loaded = Loaded(**given)
        except ValidationError as problem:
            raise SettingsError(_first_problem(problem)) from None
        return cls.model_construct(**loaded.model_dump())


def _read_config(path: str | Path) -> dict[str, Any]:
    path = Path(path)
    if path.suffix != ".toml":
        stored = read_structured(path)
    else:
        try:
            stored = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as problem:
            raise SettingsError(f"{path}: cannot be read ({problem.strerror})") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise SettingsError(f"{path}: is not valid TOML ({problem})") from None
    if not isinstance(stored, dict):
        raise SettingsError(f"{path}: must hold settings by name")
    return stored


def _first_problem(problem: ValidationError) -> str:
    first = problem.errors(include_input=False, include_url=False)[0]
    name = ".".join(map(str, first["loc"])) or "settings"
    if first["type"] == "extra_forbidden":
        return f"'{name}' is not a setting of harmony serve"
    return f"'{name}': {first['msg']}"
