#!/usr/bin/env bash
# Builds and tests the Java SDK with a JDK (17 or newer) and nothing else; JUnit 5 is for the tests alone.
#
#   ./build.sh jar           build/device-VERSION.jar: the same bytes whenever and wherever it is built
#   ./build.sh publication   that, and the -sources and -javadoc jars that Maven repositories ask for
#   ./build.sh test          compile everything and run the unit tests
#   ./build.sh programs      compile everything: the tests, and the program that `harmony audit --device` drives, too
#   ./build.sh unit          run the unit tests that are compiled
#   ./build.sh setup         install what is missing with apt, where that is possible; say loudly what is, where not
#   ./build.sh classpath     print where the compiled classes are, for `java -cp`
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

JUNIT="${JUNIT:-/usr/share/java/junit-platform-console-standalone.jar}"
VERSION="$(sed -n 's|.*<version>\(.*\)</version>.*|\1|p' pom.xml | head -n 1)"
# Concatenation stays in plain StringBuilders: Android 8 has no java.lang.invoke.StringConcatFactory.
JAVAC=(javac --release 11 -encoding UTF-8 -Xlint:all,-try -Werror -XDstringConcat=inline)
DATE=2026-01-01T00:00:00Z

need() {
    command -v "$1" >/dev/null || { echo "NO $1: install a JDK, 17 or newer (Debian: openjdk-17-jdk-headless)" >&2; exit 3; }
}

sources() {
    find "$1" -name '*.java' | LC_ALL=C sort
}

compile_main() {
    need javac
    rm -rf build/classes && mkdir -p build/classes
    "${JAVAC[@]}" -d build/classes $(sources src/main/java)
}

compile_tests() {
    test -f "$JUNIT" || { echo "NO JUnit 5 at $JUNIT: install it (Debian: junit5), or set JUNIT" >&2; exit 3; }
    rm -rf build/tests && mkdir -p build/tests
    "${JAVAC[@]}" -cp "build/classes:$JUNIT" -d build/tests $(sources src/test/java) $(sources src/audit/java)
}

# A jar whose entries are sorted and dated the same, from the directory $2.
pack() {
    local files
    files="$(cd "$2" && find . -type f ! -path ./META-INF/MANIFEST.MF | sed 's|^\./||' | LC_ALL=C sort)"
    rm -f "$1"
    (cd "$2" && jar --create --file "../../$1" --date="$DATE" --no-manifest META-INF/MANIFEST.MF $files)
}

manifest() {
    mkdir -p "$1/META-INF"
    cp ../../LICENSE "$1/META-INF/LICENSE"
    printf 'Manifest-Version: 1.0\r\nAutomatic-Module-Name: org.harmonyldp.device\r\nImplementation-Version: %s\r\n\r\n' \
        "$VERSION" >"$1/META-INF/MANIFEST.MF"
}

run_tests() {
    # Tests sync files by the thousand; none of them cuts the power, so memory is disk enough.
    local scratch
    test -w /dev/shm && scratch="$(mktemp -d /dev/shm/harmony-java.XXXXXX)" || scratch="$(mktemp -d)"
    trap "rm -rf '$scratch'" EXIT
    java -ea -Djava.io.tmpdir="$scratch" -Dharmony.vectors="$PWD/../vectors" -jar "$JUNIT" -cp build/classes:build/tests \
        --scan-classpath build/tests --disable-banner --details="${DETAILS:-summary}"
}

setup() {
    local missing=()
    command -v javac >/dev/null && command -v jar >/dev/null || missing+=(openjdk-17-jdk-headless)
    test -f "$JUNIT" || missing+=(junit5)
    test ${#missing[@]} -eq 0 && return
    apt-get install --yes --quiet --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
        { apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends "${missing[@]}"; } >/dev/null 2>&1 ||
        { echo "THE JAVA SDK IS NOT TESTED: MISSING ${missing[*]}, AND apt-get CANNOT INSTALL IT" >&2; exit 3; }
}

make_jar() {
    compile_main
    rm -rf build/jar && cp -r build/classes build/jar
    manifest build/jar
    pack "build/device-$VERSION.jar" build/jar
    jar --list --file "build/device-$VERSION.jar"
}

case "${1:-jar}" in
    jar)
        make_jar
        ;;
    publication)
        make_jar
        rm -rf build/sources && cp -r src/main/java build/sources
        manifest build/sources
        pack "build/device-$VERSION-sources.jar" build/sources
        rm -rf build/javadoc
        javadoc -quiet -Xdoclint:all,-missing -Werror -notimestamp --release 11 -d build/javadoc $(sources src/main/java)
        manifest build/javadoc
        pack "build/device-$VERSION-javadoc.jar" build/javadoc
        ;;
    programs)
        compile_main
        compile_tests
        ;;
    test)
        compile_main
        compile_tests
        run_tests
        ;;
    unit)
        run_tests
        ;;
    setup)
        setup
        ;;
    classpath)
        echo "$PWD/build/classes:$PWD/build/tests"
        ;;
    *)
        sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
esac
