package org.ckpt;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds and loads libckpt_java.so, which loads libckpt from the same directory. Searches, in this order: the directory in the
 * system property org.ckpt.library.path (if set, only this one), the directories of java.library.path, and the jar, from which both
 * are unpacked to a private directory that is removed immediately. The same holds for libckpt-s3 when it is needed; outside of a
 * jar it is next to them.
 */
final class NativeLoader {
  static final String PROPERTY = "org.ckpt.library.path";
  private static final String LIBRARY = "libckpt_java.so";
  private static final String CORE = NativeNames.CORE;
  private static final String S3 = NativeNames.S3;
  private static boolean done;
  private static boolean isUnpacked;

  private final List<String> tried = new ArrayList<>();

  private NativeLoader() {}

  static synchronized void load() {
    if (done) return;
    new NativeLoader().find();
    done = true;
    Exit.prepare();
  }

  /** libckpt-s3, unpacked while this is open; the folder is "" if nothing has to be unpacked, or the jar does not contain it. */
  record Unpacked(Path directory) implements AutoCloseable {
    String folder() {
      return directory == null ? "" : directory.toString();
    }

    @Override
    public void close() {
      if (directory == null) return;
      try { // mapped files stay mapped
        Files.deleteIfExists(directory.resolve(S3));
        Files.deleteIfExists(directory);
      } catch (IOException error) {
        throw new UncheckedIOException(directory + " cannot be removed", error);
      }
    }
  }

  /** Unpacks the library that a URI needs in addition to the native libraries. */
  static Unpacked unpackedFor(String uri) {
    load();
    boolean isOfS3 = uri != null && uri.regionMatches(true, 0, "s3:", 0, 3);
    if (!isOfS3 || !isUnpacked) return new Unpacked(null);
    try (InputStream library = NativeLoader.class.getResourceAsStream("native/" + platform() + "/" + S3)) {
      if (library == null) return new Unpacked(null);
      Unpacked unpacked = new Unpacked(Files.createTempDirectory("ckpt-"));
      try {
        Files.copy(library, unpacked.directory.resolve(S3));
      } catch (IOException error) {
        unpacked.close();
        throw error;
      }
      return unpacked;
    } catch (IOException error) {
      throw new UncheckedIOException(S3 + " cannot be unpacked to " + System.getProperty("java.io.tmpdir"), error);
    }
  }

  private void find() {
    String chosen = System.getProperty(PROPERTY);
    if (chosen != null) {
      if (fromDirectory(Path.of(chosen), "property " + PROPERTY)) return;
      throw failure("the property is set, so nothing else was tried");
    }
    for (String directory : System.getProperty("java.library.path", "").split(File.pathSeparator)) {
      if (!directory.isEmpty() && fromDirectory(Path.of(directory), "java.library.path")) return;
    }
    isUnpacked = fromJar();
    if (isUnpacked) return;
    throw failure("set -D" + PROPERTY + "=DIRECTORY");
  }

  private boolean fromDirectory(Path directory, String why) {
    Path file = directory.resolve(LIBRARY).toAbsolutePath();
    if (!Files.exists(file)) {
      tried.add(file + " (" + why + "): missing");
      return false;
    }
    return load(file, file + " (" + why + ")");
  }

  private boolean load(Path file, String place) {
    try {
      System.load(file.toString());
      return true;
    } catch (UnsatisfiedLinkError error) {
      tried.add(place + ": " + error.getMessage());
      return false;
    }
  }

  private boolean fromJar() {
    String folder = "native/" + platform();
    String place = "resource org/ckpt/" + folder + "/" + LIBRARY;
    try (InputStream library = NativeLoader.class.getResourceAsStream(folder + "/" + LIBRARY);
        InputStream core = NativeLoader.class.getResourceAsStream(folder + "/" + CORE)) {
      if (library == null || core == null) {
        tried.add(place + ": not in the jar");
        return false;
      }
      Path directory = Files.createTempDirectory("ckpt-"); // no other user may enter it
      Path file = directory.resolve(LIBRARY);
      try {
        Files.copy(core, directory.resolve(CORE));
        Files.copy(library, file);
        return load(file, place + ", unpacked to " + directory);
      } finally { // mapped files stay mapped
        Files.deleteIfExists(file);
        Files.deleteIfExists(directory.resolve(CORE));
        Files.deleteIfExists(directory);
      }
    } catch (IOException error) {
      tried.add(place + ": cannot be unpacked to " + System.getProperty("java.io.tmpdir") + ": " + error);
      return false;
    }
  }

  private UnsatisfiedLinkError failure(String hint) {
    return new UnsatisfiedLinkError(
        "ckpt: no native library for " + platform() + "; tried:\n  " + String.join("\n  ", tried) + "\n" + hint);
  }

  private static String platform() {
    String maps = "";
    try {
      maps = Files.readString(Path.of("/proc/self/maps"));
    } catch (IOException noProc) {
      // Not Linux, or without /proc: assumes glibc.
    }
    return platform(System.getProperty("os.name"), System.getProperty("os.arch"), maps);
  }

  /** Returns "linux-x64", "linux-arm64-musl", ... maps: the process's mapped files, which include the C library's loader. */
  static String platform(String system, String machine, String maps) {
    String os = system.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    String arch =
        switch (machine) {
          case "amd64", "x86_64" -> "x64";
          case "aarch64" -> "arm64";
          default -> machine;
        };
    return os + "-" + arch + (maps.contains("/ld-musl-") ? "-musl" : "");
  }
}
