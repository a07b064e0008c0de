import java.util.List;
import org.ckpt.*;

/** A save, a load and a list through s3://, at the gateway in the environment. Argument: the URI. */
final class TestS3 {
  public static void main(String[] arguments) throws Exception {
    String uri = arguments[0] + "/java";
    float[] written = {1, 2, 3};
    try (Storage storage = Storage.fromUri(uri);
        CheckpointManager checkpoints = new CheckpointManager(storage);
        Tensor tensor = Tensor.copyOf(written);
        State state = new State().add("model", "weights", tensor)) {
      checkpoints.save(state, 7);
      checkpoints.save(state, 8);
      tensor.fill(0);
      Check.equal(8L, checkpoints.load(state).step());
      Check.equal(6.0, tensor.sum());
    }
    try (CheckpointManager checkpoints = CheckpointManager.open(uri, new CheckpointManagerOptions().readOnly(true))) {
      Check.equal(List.of(8L, 7L), checkpoints.list().stream().map(CheckpointInfo::step).toList());
    }
    System.out.println("saved, loaded and listed");
  }
}
