import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.ckpt.*;

/** Calls every public method with null for each of its objects in turn: accepted, or refused with the parameter's name. */
final class TestNulls {
  /** Methods that name another argument, or that are not ours. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "Blas", // takes addresses of functions
          "valueOf", // of enums: defined by the JDK
          "equals",
          "close",
          "get", // of trees: the samples are not trees
          "saveAsync", // of a controller: one save at a time
          "register"); // the name is already registered the second time: tested below

  private static final Map<Class<?>, Object> SAMPLES = new HashMap<>();

  private static ByteBuffer direct() {
    return ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
  }

  private static void prepare(Path folder) throws Exception {
    Tensor tensor = new Tensor(DType.F32, 2, 2);
    TensorSpec spec = new TensorSpec(DType.F32, 2, 2);
    CheckpointManager checkpoints = new CheckpointManager(Storage.memory());
    State state = new State();
    state.set("x", Map.of("x", tensor)); // a tree with the tensor x
    state.writeSafetensors(folder.resolve("x"), "x", null);
    AsyncManager manager = new AsyncManager(checkpoints);
    Chain chain = new Chain();
    Layer layer = new Layer("fc", "linear", 2, 2);
    chain.add(layer);
    Profile profile = Profile.of(chain, spec, 1, null);
    Schedule schedule = Schedule.create(profile, "store-all");
    Controller controller = new Controller();
    controller.beginRun(0);
    ActivationManager activations = new ActivationManager(new ActivationPolicy());
    Object[] known = {
      tensor, spec, checkpoints, state, manager, manager.save(state, 0), chain, layer, profile, schedule, schedule.cursor(), controller,
      activations, new Strategy("interval:2"), new MemoryTracker(), org.ckpt.Clock.manual(0), new WorkerPool(1),
      new Reader(folder.resolve("x")), new ScheduleExecutor(chain, schedule, spec), Storage.memory(), new BufferPool(),
      new Pipeline(chain, spec, new PipelineOptions().stages(1).microBatches(1)), new MemoryTracker().stats(), folder.resolve("x"),
      "x", Duration.ofSeconds(1), direct(), direct().asIntBuffer(), direct().asLongBuffer(), direct().asFloatBuffer(),
      direct().asDoubleBuffer(), Optional.empty(), OptionalInt.empty(), OptionalDouble.empty(), Instant.EPOCH, TimeUnit.SECONDS
    };
    for (Object one : known) SAMPLES.put(one.getClass(), one);
    SAMPLES.put(Object.class, "x");
    SAMPLES.put(DType.class, DType.F32);
    SAMPLES.put(List.class, List.of());
    SAMPLES.put(Collection.class, List.of());
    SAMPLES.put(Map.class, Map.of());
  }

  private static Object sample(Class<?> type) throws Exception {
    if (type.isPrimitive()) return Array.get(Array.newInstance(type, 1), 0);
    Object known = SAMPLES.get(type);
    if (known instanceof Tensor tensor && tensor.isClosed()) { // a stage's function hands its result over
      known = new Tensor(DType.F32, 2, 2);
      SAMPLES.put(type, known);
    }
    if (known != null) return known;
    for (Object one : SAMPLES.values()) {
      if (type.isInstance(one)) return one;
    }
    if (type.isArray()) return Array.newInstance(type.getComponentType(), 1);
    if (type.isEnum()) return type.getEnumConstants()[0];
    if (type.isInterface()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(),
          new Class<?>[] {type},
          (self, method, values) -> method.getReturnType() == void.class ? null : sample(method.getReturnType()));
    }
    return type.getConstructor().newInstance();
  }

  private static List<Executable> calls(Class<?> type) {
    List<Executable> calls = new ArrayList<>();
    if (!Modifier.isAbstract(type.getModifiers())) calls.addAll(List.of(type.getConstructors()));
    for (Method method : type.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic() && !LEFT_OUT.contains(method.getName())) calls.add(method);
    }
    return calls;
  }

  /** Returns the exception of the call with null as one argument (-1: none), or null when it throws nothing. */
  private static Throwable tried(Class<?> type, Executable call, int at) throws Exception {
    try {
      Object[] values = new Object[call.getParameterCount()];
      for (int i = 0; i < values.length; ++i) values[i] = i == at ? null : sample(call.getParameterTypes()[i]);
      if (call instanceof Method method) {
        method.invoke(Modifier.isStatic(method.getModifiers()) ? null : sample(type), values);
        if (type == AsyncManager.class) ((AsyncManager) sample(type)).waitAll(null); // the next call needs the state
      } else {
        Object created = ((Constructor<?>) call).newInstance(values);
        if (created instanceof CheckpointManager writer) writer.close(); // the next call needs its lock
      }
      return null;
    } catch (InvocationTargetException exception) {
      return exception.getCause();
    } catch (NoSuchMethodException noSample) {
      return noSample;
    }
  }

  static void testNullIsAcceptedOrRefusedByName() throws Exception {
    Path folder = Files.createTempDirectory("ckpt-nulls");
    prepare(folder);
    List<String> riddles = new ArrayList<>();
    int refused = 0;
    int unreached = 0; // other values passed here are refused first
    try (JarFile jar = new JarFile(System.getenv("CKPT_JAR"))) {
      for (String entry : jar.stream().map(one -> one.getName()).filter(one -> one.matches("org/ckpt/\\w+\\.class")).sorted().toList()) {
        Class<?> type = Class.forName(entry.replace('/', '.').replace(".class", ""));
        if (!Modifier.isPublic(type.getModifiers()) || type.isInterface() || LEFT_OUT.contains(type.getSimpleName())) continue;
        for (Executable call : calls(type)) {
          Throwable usual = tried(type, call, -1);
          for (int at = 0; at < call.getParameterCount(); ++at) {
            if (call.getParameterTypes()[at].isPrimitive()) continue;
            String name = call.getParameters()[at].getName();
            Throwable thrown = tried(type, call, at);
            if (thrown == null) continue;
            if (String.valueOf(thrown).equals(String.valueOf(usual))) {
              ++unreached;
              continue;
            }
            String text = String.valueOf(thrown.getMessage());
            boolean named = text.contains(name) || text.contains(name.replaceAll("([A-Z])", "_$1").toLowerCase());
            if (named && (thrown instanceof NullPointerException || thrown instanceof CkptException)) {
              ++refused;
            } else {
              riddles.add(type.getSimpleName() + "." + call.getName() + "(" + at + ": " + name + "): " + thrown);
            }
          }
        }
      }
    }
    Files.delete(folder.resolve("x"));
    Files.delete(folder);
    Check.equal("", String.join("\n", riddles));
    Check.that(refused > 150 && unreached < 25, refused + " were refused, " + unreached + " not reached");
    System.out.println(refused + " nulls were refused by name");
  }

  static void testAFactoryIsNeeded() {
    Check.raises(RuntimeException.class, "factory", () -> Strategy.register("nulls", null));
  }

  public static void main(String[] arguments) {
    Check.run(TestNulls.class);
  }
}
