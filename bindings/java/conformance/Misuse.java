/** A mistake in a file of scenarios, not in the library. */
final class Misuse extends RuntimeException {
  Misuse(String text) {
    super(text);
  }
}
