#!/usr/bin/env bash
# Builds and checks the JavaScript SDK: `build.sh bundle` or `build.sh check`; `build.sh setup` installs Node with apt where it can.
# Ends with 3, and says so, where Node is missing.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}"

if [ "${1:-}" = setup ] && ! command -v npm >/dev/null; then
    apt-get install --yes --quiet --no-install-recommends nodejs npm >/dev/null 2>&1 ||
        { apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends nodejs npm; } >/dev/null 2>&1 || true
fi

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "NO NODE: THE JAVASCRIPT SDK IS NEITHER BUILT NOR TESTED." >&2
    echo "Install Node 18 or newer with npm (Debian: apt-get install nodejs npm)." >&2
    exit 3
fi
if [ "$(node --print 'process.versions.node.split(".")[0]')" -lt 18 ]; then
    echo "THE JAVASCRIPT SDK IS NEITHER BUILT NOR TESTED: Node $(node --version) is too old, it needs 18 or newer." >&2
    exit 3
fi
[ -d node_modules ] || npm install --silent

case "${1:-}" in
setup) ;;
bundle) npm run --silent bundle ;;
check)
    npm run --silent check
    npm run --silent size
    ;;
*)
    echo "usage: build.sh setup|bundle|check" >&2
    exit 2
    ;;
esac
