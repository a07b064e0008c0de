package org.ckpt;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Search for the native library. Arguments: the jar, the directory with the native libraries. */
final class TestLoader {
  private static String jar;
  private static Path libraries;
  private static Path scratch;

  private static void that(boolean truth, String what) {
    if (!truth) throw new AssertionError(what);
  }

  /** Runs another virtual machine that prints its version; returns the output. */
  private static String java(String classPath, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java",
        "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", classPath, "org.ckpt.TestLoader$Child"));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    process.waitFor();
    return text;
  }

  static final class Child {
    public static void main(String[] arguments) throws Exception {
      System.out.println("version " + Ckpt.versionString());
      try (CheckpointManager checkpoints = CheckpointManager.open("s3://bucket/run")) {
        System.out.println("s3: opened");
      } catch (CkptException failure) {
        System.out.println("s3: " + failure.status() + " " + failure.getMessage());
      }
      for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
        if (line.contains("libckpt_java.so")) {
          System.out.println("from " + line.substring(line.indexOf('/')));
          return;
        }
      }
    }
  }

  /** The jar without its native libraries, with the test's classes. */
  private static String bare() throws Exception {
    Path classes = scratch.resolve("bare");
    try (java.util.jar.JarFile file = new java.util.jar.JarFile(jar)) {
      for (java.util.jar.JarEntry entry : (Iterable<java.util.jar.JarEntry>) file.stream()::iterator) {
        if (!entry.getName().endsWith(".class")) continue;
        Path to = classes.resolve(entry.getName());
        Files.createDirectories(to.getParent());
        try (var bytes = file.getInputStream(entry)) {
          Files.copy(bytes, to);
        }
      }
    }
    return classes + ":" + own();
  }

  private static String own() {
    return new File(TestLoader.class.getProtectionDomain().getCodeSource().getLocation().getPath()).getPath();
  }

  public static void main(String[] arguments) throws Exception {
    jar = arguments[0];
    libraries = Path.of(arguments[1]).toAbsolutePath();
    scratch = Files.createTempDirectory("ckpt-loader");
    String full = jar + ":" + own();
    String version = "version " + Ckpt.versionString();

    String text = java(full);
    that(text.contains(version) && text.contains("from /tmp") && text.contains("(deleted)"), "from the jar, unpacked, removed: "
        + text);
    Path unpacked = Files.createDirectory(scratch.resolve("unpacked"));
    text = java(full, "-Djava.io.tmpdir=" + unpacked);
    that(text.contains(version) && text.contains("from " + unpacked), "in java.io.tmpdir: " + text);
    try (var left = Files.list(unpacked)) {
      that(left.findAny().isEmpty(), "something was left in " + unpacked);
    }
    text = java(full, "-Dorg.ckpt.library.path=" + libraries);
    that(text.contains(version) && text.contains("from " + libraries), "from the property: " + text);
    text = java(full, "-Djava.library.path=" + scratch + ":" + libraries);
    that(text.contains(version) && text.contains("from " + libraries), "from java.library.path: " + text);

    boolean hasS3 = "1".equals(System.getenv("CKPT_HAS_S3")); // the environment specifies a store without a listener
    that(text.contains(hasS3 ? "s3: IO " : "libckpt-s3"), "libckpt-s3 next to it: " + text);
    Path few = Files.createDirectory(scratch.resolve("few"));
    for (String name : List.of("libckpt_java.so", NativeNames.CORE)) Files.copy(libraries.resolve(name), few.resolve(name));
    text = java(full, "-Dorg.ckpt.library.path=" + few);
    that(text.contains("s3: UNSUPPORTED") && text.contains("requires the package libckpt-s3"), "from this directory alone: "
        + text);

    String bare = bare();
    text = java(bare, "-Djava.library.path=" + scratch + "/one:" + scratch + "/two");
    for (String place : List.of(scratch + "/one/libckpt_java.so (java.library.path): missing", scratch + "/two/libckpt_java.so",
        "resource org/ckpt/native/", ": not in the jar", "set -Dorg.ckpt.library.path", NativeLoader.platform("Linux", "amd64",
            ""))) {
      that(text.contains(place), "'" + place + "' is not in: " + text);
    }
    text = java(full, "-Dorg.ckpt.library.path=" + scratch);
    that(text.contains(scratch + "/libckpt_java.so (property org.ckpt.library.path): missing"), "the property alone counts: "
        + text);
    that(text.contains("nothing else was tried") && !text.contains("version 0"), text);
    Files.writeString(scratch.resolve("libckpt_java.so"), "not a library");
    text = java(full, "-Dorg.ckpt.library.path=" + scratch);
    that(text.contains("libckpt_java.so") && text.contains("file too short"), "the system's message: " + text);
    text = java(full, "-Djava.io.tmpdir=" + scratch + "/nowhere");
    that(text.contains("cannot be unpacked to " + scratch + "/nowhere"), "no room to unpack: " + text);

    that(NativeLoader.platform("Linux", "amd64", "").equals("linux-x64"), "linux-x64");
    that(NativeLoader.platform("Linux", "aarch64", "7f /lib/ld-musl-aarch64.so.1\n").equals("linux-arm64-musl"), "musl");
    that(NativeLoader.platform("Mac OS X", "aarch64", "").equals("macosx-arm64"), "mac");
    try (var all = Files.walk(scratch)) {
      for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) Files.delete(path);
    }
    System.out.println("every location was tried");
  }
}
