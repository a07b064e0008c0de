package org.ckpt;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/** Handles exceptions that callbacks throw, for the native code. They never propagate out of a callback. */
final class CallbackFailures {
  private record Last(Throwable thrown, String text) {}

  /** The newest failure on this thread: the cause of the exception that the call throws. */
  private static final ThreadLocal<Last> LAST = new ThreadLocal<>();

  private static final int OTHER = 1;

  private CallbackFailures() {}

  /** Returns the status of an exception, or 1 for an error of the program, which is also logged. */
  static int status(Throwable thrown) {
    int status = meaning(thrown);
    if (status == OTHER) report(thrown);
    return status;
  }

  static String text(Throwable thrown) {
    String message = thrown.getMessage();
    String text = thrown instanceof CkptException && message != null ? message : thrown.toString();
    text = printable(text);
    LAST.set(new Last(thrown, text));
    return text;
  }

  /** Returns the cause of an exception with this message, once. */
  static Throwable taken(String message) {
    Last last = LAST.get();
    if (last == null) return null;
    LAST.remove();
    return message.contains(last.text) ? last.thrown : null;
  }

  private static void report(Throwable thrown) {
    try {
      System.getLogger("org.ckpt").log(System.Logger.Level.ERROR, "a callback failed", thrown);
    } catch (Throwable ignored) {
      // The log itself fails: nowhere to report.
    }
  }

  /** Returns one line without NUL and lone surrogates, as the C side expects. */
  private static String printable(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints().map(c -> c < ' ' ? ' ' : c >= 0xD800 && c < 0xE000 ? 0xFFFD : c).forEach(line::appendCodePoint);
    return line.toString();
  }

  private static int meaning(Throwable thrown) {
    if (thrown instanceof CkptException error) return error.status() == Status.UNKNOWN ? OTHER : error.status().number();
    if (thrown instanceof UncheckedIOException error) return meaning(error.getCause());
    if (thrown instanceof FileNotFoundException || thrown instanceof NoSuchFileException) return Status.NOT_FOUND.number();
    if (thrown instanceof FileAlreadyExistsException || thrown instanceof DirectoryNotEmptyException) {
      return Status.ALREADY_EXISTS.number();
    }
    if (thrown instanceof AccessDeniedException) return Status.PERMISSION.number();
    if (thrown instanceof OverlappingFileLockException) return Status.BUSY.number();
    if (thrown instanceof java.util.concurrent.TimeoutException) return Status.TIMEOUT.number();
    if (thrown instanceof OutOfMemoryError) return Status.OUT_OF_MEMORY.number();
    if (thrown instanceof IOException) {
      String message = String.valueOf(thrown.getMessage());
      boolean full = message.contains("No space left") || message.contains("quota exceeded");
      return full ? Status.NO_SPACE.number() : Status.IO.number();
    }
    return OTHER;
  }
}
