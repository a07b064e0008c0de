# package.sh DOTNET PACKAGE FRAMEWORK VERSION SCRATCH: a project outside the tree that uses only the package restores it from a
# local folder, builds and runs.
set -eu
dotnet=$1
package=$2
framework=$3
version=$4
scratch=$5

rm -rf "$scratch"
mkdir -p "$scratch/source" "$scratch/made"
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1 DOTNET_CLI_USE_MSBUILD_SERVER=0
export DOTNET_CLI_HOME="$scratch/home" XDG_DATA_HOME="$scratch/home" NUGET_PACKAGES="$scratch/packages"
options="-nologo -v q -nodeReuse:false -p:UseSharedCompilation=false"

s3=''
[ "$CKPT_HAS_S3" = 0 ] || s3=native/libckpt-s3.so.$CKPT_SOVERSION
cp "$package" "$scratch/source"
unzip -l "$scratch/source/Ckpt.$version.nupkg" >"$scratch/list" 2>/dev/null ||
  python3 -m zipfile -l "$scratch/source/Ckpt.$version.nupkg" >"$scratch/list"
for entry in "lib/$framework/Ckpt.dll" "lib/$framework/Ckpt.xml" native/libckpt_csharp.so native/libckpt.so.$CKPT_SOVERSION LICENSE $s3; do
  grep -q "$entry" "$scratch/list" || {
    echo "the package lacks $entry"
    exit 1
  }
done

outside=$(mktemp -d)
trap 'rm -rf "$outside"' EXIT
cat >"$outside/nuget.config" <<CONFIG
<configuration><packageSources><clear /><add key="local" value="$scratch/source" /></packageSources></configuration>
CONFIG
cat >"$outside/Consumer.csproj" <<CSPROJ
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>$framework</TargetFramework><Nullable>enable</Nullable>
    <TreatWarningsAsErrors>true</TreatWarningsAsErrors><UseAppHost>false</UseAppHost></PropertyGroup>
  <ItemGroup><PackageReference Include="Ckpt" Version="$version" /></ItemGroup>
</Project>
CSPROJ
cat >"$outside/Program.cs" <<'PROGRAM'
using Ckpt;

var weights = new float[] { 1, 2, 3 };
using var checkpoint = new CheckpointManager(Storage.InMemory());
using var manager = new AsyncManager(checkpoint);
using var state = new State().Add<float>("model", "weights", weights);
CheckpointTaskResult saved = await manager.SaveAsync(state, new SaveOptions { Step = 7 });
System.Array.Clear(weights);
LoadResult? loaded = checkpoint.LoadIfAny(state);
try
{
    using var nobody = new CheckpointManager("s3://bucket/run");
}
catch (CkptException failure)
{
    System.Console.WriteLine($"s3: {failure.StatusName} {failure.Message}");
}
System.Console.WriteLine($"libckpt {Library.VersionString}: step {loaded?.Step}, {weights[2]}, {saved.CheckpointPath?.Length > 0}");
PROGRAM
cd "$outside"
# shellcheck disable=SC2086
"$dotnet" restore $options
# shellcheck disable=SC2086
"$dotnet" build $options --no-restore -c Release -o "$outside/made"
mv "$outside/made" "$scratch/moved"
cd /
LD_LIBRARY_PATH='' "$dotnet" "$scratch/moved/Consumer.dll" | tee "$scratch/printed"
grep -qx "libckpt $version: step 7, 3, True" "$scratch/printed"
if [ -n "$s3" ]; then # the environment specifies a store without a listener
  grep -q '^s3: IO .*s3://bucket/run' "$scratch/printed"
  find "$scratch/moved" -name libckpt-s3.so.$CKPT_SOVERSION -exec rm {} +
  LD_LIBRARY_PATH='' "$dotnet" "$scratch/moved/Consumer.dll" >"$scratch/printed"
fi
grep -q '^s3: UNSUPPORTED .*requires the package libckpt-s3' "$scratch/printed"
rm -rf "$scratch"
