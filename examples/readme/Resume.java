import java.nio.FloatBuffer;
import java.nio.file.Path;
import org.ckpt.*;

class Resume {
  public static void main(String[] arguments) {
    try (CheckpointManager run = CheckpointManager.open(Path.of("run"), new CheckpointManagerOptions().keepLast(2));
        AsyncManager saves = new AsyncManager(run);
        Tensor weights = Tensor.copyOf(new float[1000], 1000);
        State state = new State().add("model", "weights", weights)) {
      long first = run.loadIfAny(state).map(LoadResult::step).orElse(0L); // the newest valid checkpoint, every byte verified
      FloatBuffer w = weights.floatBuffer(); // the tensor's own memory
      for (long step = first + 1; step <= first + 100; ++step) {
        w.put(0, w.get(0) + 1); // train
        if (step % 10 == 0) saves.save(state, step); // is written in the background; the tensor may change at once
      }
      System.out.printf("step %d: %.0f%n", first + 100, w.get(0));
    }
  }
}
