# netstandard.sh DOTNET PROGRAM LIBRARY SCRATCH: runs the test program, which was compiled against another Ckpt.dll, with the one
# for netstandard2.0.
set -eu
rm -rf "$4"
cp -R "$(dirname "$2")" "$4"
cp "$3" "$4/Ckpt.dll"
for topic in base memory tensor strategy storage engine state async traps; do
  echo "== $topic"
  "$1" "$4/$(basename "$2")" "$topic"
done
rm -rf "$4"
