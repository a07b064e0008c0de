# consumer.sh JAR POM VERSION JAVAC JAVA: runs a program outside the tree that uses only the jar, in a directory that is moved.
set -eu
jar=$1
pom=$2
version=$3
javac=$4
java=$5
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/made"
cp "$jar" "$scratch/made/ckpt.jar"
cp "$pom" "$scratch/made/pom.xml"
mv "$scratch/made" "$scratch/moved"
cd "$scratch/moved"

for line in "<groupId>org.ckpt</groupId>" "<artifactId>ckpt</artifactId>" "<version>$version</version>"; do
  grep -qF "$line" pom.xml || { echo "the pom lacks $line" >&2; exit 1; }
done

cat >Consumer.java <<'JAVA'
import org.ckpt.*;

public class Consumer {
  public static void main(String[] arguments) throws Exception {
    try (CheckpointManager checkpoints = CheckpointManager.open(java.nio.file.Path.of("run"));
        Tensor tensor = Tensor.copyOf(new float[] {1, 2, 3});
        State state = new State().add("model", "weights", tensor);
        AsyncManager manager = new AsyncManager(checkpoints)) {
      manager.save(state, 1).get();
      tensor.fill(0);
      checkpoints.load(state);
      System.out.println("consumed " + Ckpt.versionString() + " sum " + tensor.sum());
    }
  }
}
JAVA
"$javac" --release 17 -Xlint:all -Werror -cp ckpt.jar Consumer.java
env -i PATH=/usr/bin:/bin "$java" -cp ckpt.jar:. Consumer | tee out
grep -qxF "consumed $version sum 6.0" out
# libckpt-s3 is also loaded from the jar; no unpacked file is left.
if [ "$CKPT_HAS_S3" = 1 ]; then
  cat >S3.java <<'JAVA'
import org.ckpt.*;

public class S3 {
  public static void main(String[] arguments) {
    for (int i = 0; i < 2; i++) {
      try (CheckpointManager checkpoints = CheckpointManager.open("s3://bucket/run")) {
        throw new AssertionError("no store listens: " + checkpoints);
      } catch (CkptException failure) {
        System.out.println(failure.status() + " " + failure.getMessage());
      }
    }
  }
}
JAVA
  "$javac" --release 17 -Xlint:all -Werror -cp ckpt.jar S3.java
  mkdir unpacked
  env PATH=/usr/bin:/bin "$java" -Djava.io.tmpdir="$PWD/unpacked" -cp ckpt.jar:. S3 | tee out
  [ "$(grep -c '^IO .*s3://bucket/run' out)" = 2 ] || exit 1
  [ -z "$(ls unpacked)" ] || { echo "something was left: $(ls unpacked)" >&2; exit 1; }
fi
# It also works as a module on the module path: the name is in the manifest.
env -i PATH=/usr/bin:/bin "$java" --module-path ckpt.jar --describe-module org.ckpt | grep -q "^org.ckpt.* automatic"
