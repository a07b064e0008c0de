#!/bin/sh
# twice.sh DIRECTORY COMMAND...: empties the directory and runs the command in it twice.
set -eu
directory=$1
shift
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
"$@"
"$@"
