package org.harmonyldp.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The classes use nothing that Android 8 lacks, as far as android-api-26.txt knows it, and nothing but java.base. */
class AndroidApiTest {
    private static final int LEVEL = 26;
    private static final Pattern MEMBER = Pattern.compile("= (?:Interface)?(?:Method|Field)ref\\s+\\S+\\s+// (\\S+)");
    private static final Pattern TYPE = Pattern.compile("= Class\\s+\\S+\\s+// \"?([\\w/$]+)\"?$");

    private static String run(String tool, List<String> arguments) {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        int status = ToolProvider.findFirst(tool).get().run(writer, writer, arguments.toArray(new String[0]));
        assertEquals(0, status, out.toString());
        return out.toString();
    }

    private static Path classes() throws IOException {
        return Paths.get(Device.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    /** Every platform class, method and field that the compiled classes name. */
    private static Set<String> used() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-v", "-p"));
        try (Stream<Path> files = Files.walk(classes())) {
            files.map(Path::toString).filter(file -> file.endsWith(".class")).forEach(arguments::add);
        }
        assertTrue(arguments.size() > 50);
        Set<String> used = new TreeSet<>();
        for (String line : run("javap", arguments).split("\n")) {
            for (Pattern pattern : new Pattern[] {MEMBER, TYPE}) {
                Matcher found = pattern.matcher(line);
                if (found.find() && found.group(1).startsWith("java")) {
                    used.add(found.group(1).replace("\"", ""));
                }
            }
        }
        return used;
    }

    @Test
    void everythingUsedIsListedForApi26() throws IOException {
        Set<String> listed = new TreeSet<>();
        for (String line : Files.readAllLines(Paths.get("android-api-26.txt"))) {
            if (!line.startsWith("#") && !line.isEmpty()) {
                String[] parts = line.split(" ");
                assertTrue(Integer.parseInt(parts[0]) <= LEVEL, line);
                listed.add(parts[1]);
            }
        }
        Set<String> used = used();
        Set<String> unknown =
                used.stream().filter(one -> !listed.contains(one)).collect(Collectors.toCollection(TreeSet::new));
        Set<String> unused =
                listed.stream().filter(one -> !used.contains(one)).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of(), unknown, "look these up in Android's reference, then add them with their API level");
        assertEquals(Set.of(), unused, "these are listed and no longer used");
        assertTrue(used.size() > 200);
    }

    @Test
    void nothingButTheBaseModuleIsNeeded() throws IOException {
        assertEquals("java.base", run("jdeps", List.of("--list-deps", classes().toString())).trim());
    }

    @Test
    void nothingReflects() throws IOException {
        for (String one : used()) {
            assertTrue(
                    !one.startsWith("java/lang/reflect") && !one.contains("Class.forName") && !one.contains("Unsafe"),
                    one);
        }
    }

    @Test
    void noListenerTimerOrPoolRuns() throws IOException {
        List<String> threads = used().stream()
                                       .filter(one
                                               -> one.startsWith("java/util/concurrent/Exec")
                                                       || one.startsWith("java/util/Timer") || one.contains("ForkJoin"))
                                       .collect(Collectors.toList());
        assertEquals(List.of(), threads);
    }
}
