"""`python -m harmony.service`: serve with settings from flags, the environment and a file."""

from __future__ import annotations

import argparse
import sys

from harmony.errors import HarmonyError

from . import Settings, serve


def main() -> int:
    """Parse the flags and serve."""
    parser = argparse.ArgumentParser(prog="harmony serve", description="Collect from devices.")
    parser.add_argument("--config", help="a .toml, .yaml or .json file of settings")
    for name, field in Settings.model_fields.items():
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=field.description)
    flags = vars(parser.parse_args())
    try:
        serve(Settings.load(**flags))
    except HarmonyError as problem:
        sys.stderr.write(f"harmony serve: {problem}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
