/** An error in a scenario file, not in the library. */
final class Misuse extends RuntimeException {
  Misuse(String text) {
    super(text);
  }
}
