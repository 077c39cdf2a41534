"""How devices answer a survey, as code to copy: with its names, for every SDK."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from harmony.questions import parts_of
from harmony.survey import Survey

TYPES = {
    "number": ("float", "Number", "Kind.NUMBER"),
    "text": ("str", "String", "Kind.TEXT"),
    "boolean": ("bool", "Boolean", "Kind.BOOLEAN"),
}
"""A type of the record in Python, JavaScript and Java."""

ROUNDS_IN_30_DAYS = 4
"""What the snippets let an owner spend: so many reports of this survey."""

PYTHON = """\
from harmony_device import Device, EpsilonLimit  # pip install harmony-ldp-device

device = Device(
    {server},
    "my-app-data/harmony",  # a folder of this app's own
    record={{  # what the app can tell, the same for all of its users
        {record},
    }},
    consent=True,  # or a function that knows whether your user agreed
    epsilon_limit=EpsilonLimit(per_report={epsilon}, per_30_days={month}),
)
visit = device.answer({{
    {values},
}})
print(visit)"""

JAVASCRIPT = """\
import {{ Device }} from {module};

const device = new Device({server}, {{
  record: {{ // what the app can tell, the same for all of its users
    {record},
  }},
  consent: true, // or a function that knows whether your user agreed
  epsilonLimit: {{ perReport: {epsilon}, per30Days: {month} }},
}});
const visit = await device.answer({{
  {values},
}});
console.log(visit);"""

JAVA = """\
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.harmonyldp.device.Device;
import org.harmonyldp.device.EpsilonLimit;
import org.harmonyldp.device.Kind;

public class Answer {{
    public static void main(String[] arguments) throws Exception {{
        Map<String, Object> values = new HashMap<>();
        {values}
        try (Device device = Device.builder({server}, Path.of("my-app-data/harmony"))
                {record}
                .consent(true)  // or a function that knows whether your user agreed
                .epsilonLimit(EpsilonLimit.per30Days({month}).perReport({epsilon}))
                .build()) {{
            System.out.println(device.answer(values));
        }}
    }}
}}"""

CURL = """\
# What a device sees: which rounds are open, and the document that it checks before it answers.
curl {server}/v1/surveys
curl {server}/v1/surveys/{name}"""


@dataclass(frozen=True)
class Snippet:
    """Code in one language."""

    language: str
    code: str


@dataclass(frozen=True)
class _Told:
    """One name of a record, with an example of its value."""

    name: str
    kind: str
    example: object

    def type(self, language: int) -> str:
        return TYPES[self.kind][language]


def snippets(survey: Survey, server: str) -> list[Snippet]:
    """Return how a device answers `survey` at `server`, in each language.

    >>> import harmony as hm
    >>> phones = hm.Survey("phones", [hm.Boolean("wifi")], epsilon=1.0)
    >>> python, javascript, java, curl = snippets(phones, "https://stats.example.org")
    >>> print(javascript.code)
    import { Device } from "https://stats.example.org/sdk/device.js";
    <BLANKLINE>
    const device = new Device("https://stats.example.org", {
      record: { // what the app can tell, the same for all of its users
        "wifi": Boolean,
      },
      consent: true, // or a function that knows whether your user agreed
      epsilonLimit: { perReport: 1, per30Days: 4 },
    });
    const visit = await device.answer({
      "wifi": true,
    });
    console.log(visit);
    """
    told = _record(survey)
    at, epsilon = _text(server), survey.epsilon
    limits = {"epsilon": f"{epsilon:g}", "month": f"{ROUNDS_IN_30_DAYS * epsilon:g}"}
    python = PYTHON.format(
        server=at,
        **limits,
        record=_lines((f"{_text(one.name)}: {one.type(0)}" for one in told), 8),
        values=_lines((f"{_text(one.name)}: {_python(one.example)}" for one in told), 4),
    )
    javascript = JAVASCRIPT.format(
        server=at,
        module=_text(f"{server}/sdk/device.js"),
        **limits,
        record=_lines((f"{_text(one.name)}: {one.type(1)}" for one in told), 4),
        values=_lines((f"{_text(one.name)}: {_text(one.example)}" for one in told), 2),
    )
    java = JAVA.format(
        server=at,
        **limits,
        record=_lines((f".record({_text(one.name)}, {one.type(2)})" for one in told), 16, ""),
        values=_lines(
            (f"values.put({_text(one.name)}, {_text(one.example)});" for one in told), 8, ""
        ),
    )
    curl = CURL.format(server=server, name=survey.name)
    codes = {"Python": python, "JavaScript": javascript, "Java": java, "curl": curl}
    return [Snippet(language, code) for language, code in codes.items()]


def _record(survey: Survey) -> list[_Told]:
    """Return the names that a survey reads, once each."""
    told: dict[str, _Told] = {}
    for part in (part for one in survey.attributes for part in parts_of(one)):
        texts = [value for value in part.values if isinstance(value, str)]
        example = {"number": 42, "boolean": True, "text": (texts or [""])[0]}[part.asks]
        told.setdefault(part.source, _Told(part.source, part.asks, example))
    return list(told.values())


def _lines(texts: Iterable[str], indent: int, between: str = ",") -> str:
    return f"{between}\n{' ' * indent}".join(texts)


def _text(value: object) -> str:
    """Write a value so that all of these languages read it."""
    return json.dumps(value)


def _python(value: object) -> str:
    return repr(value) if isinstance(value, bool) else _text(value)
