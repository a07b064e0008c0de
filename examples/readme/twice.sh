#!/bin/sh
# twice.sh DIRECTORY COMMAND...: runs the command twice in the directory, which is emptied first.
set -eu
directory=$1
shift
rm -rf "$directory"
mkdir -p "$directory"
cd "$directory"
"$@"
"$@"
