# Progress on real terminals of several widths (tmux): one line that fits, with the fraction done and the time left; colour only
# there, and never with NO_COLOR. Elsewhere plain lines.
. "$(dirname "$0")/lib.sh"
text="$scratch/text"
make_text "$text"
case $ckpt in /*) ;; *) ckpt="$PWD/$ckpt" ;; esac
run="'$ckpt' train --model mlp --data '$text' --batch 32 --steps 1000"

# seen FILE PATTERN COMMAND...: runs the command, which writes FILE, until FILE contains the pattern.
seen() {
  file=$1
  pattern=$2
  shift 2
  looks=0
  while [ $looks -lt 3000 ]; do
    "$@" || break
    if grep -qE -- "$pattern" "$file"; then return 0; fi
    looks=$((looks + 1))
    sleep 0.02 # to save CPU time
  done
  fail "no '$pattern' in: $(cat "$file")"
}

# ---- Without a terminal: complete lines with all information ----
: >"$scratch/plain"
env -u NO_COLOR TERM=xterm sh -c "exec $run" >"$scratch/out" 2>"$scratch/plain" &
plain=$!
seen "$scratch/plain" '^ *[0-9]+%  [0-9:]+ left  step [0-9]+/1000  loss [0-9.]+  [0-9]+ tokens/s  activations .* now, .* peak$' :
kill -s INT $plain
wait $plain || fail "exit code $? after an interruption"
grep -qE '^ *[0-9]+%  in [0-9:]+  step' "$scratch/plain" || fail "no last line: $(cat "$scratch/plain")"
[ "$(tr -d -c '\r\033' <"$scratch/plain" | wc -c)" = 0 ] || fail "control characters without a terminal: $(cat -v "$scratch/plain")"

# ---- Terminals ----
if ! command -v tmux >/dev/null 2>&1; then
  [ -z "${CKPT_REQUIRE_SERVICES:-}" ] || { fail "there is no tmux"; finish; }
  echo "SKIP progress on terminals: tmux not found"
  [ $failures -gt 0 ] || exit 77
  finish
fi
terminals=0 # each with its own server: a server that is ending accepts no new windows
in_tmux() { tmux -S "$scratch/tmux$terminals" -f /dev/null "$@"; }
trap 'in_tmux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT
screen() { in_tmux capture-pane -p "$@" >"$scratch/screen"; }

# terminal WIDTH ENVIRONMENT...: opens a window of that width in which a run shows the time left.
terminal() {
  width=$1
  shift
  terminals=$((terminals + 1))
  in_tmux new-session -d -x "$width" -y 12 "env $* sh -c \"exec $run\"; echo ended; trap '' INT; cat" || fail "tmux does not start"
  seen "$scratch/screen" '% +[0-9:]+ left  step [0-9]+/1000' screen
}

for width in 40 80 132; do
  terminal "$width" -u NO_COLOR
  # During the run and after its end: one line of progress, no longer than the terminal.
  [ "$(grep -c '%' "$scratch/screen")" = 1 ] || fail "$width columns: $(cat "$scratch/screen")"
  line=$(grep '%' "$scratch/screen")
  [ "${#line}" -lt "$width" ] || fail "$width columns: a line of ${#line}: $line"
  echo "$line" | grep -qE '^\[#*\.+\] +[0-9]+%  [0-9:]+ left  step [0-9]+/1000' || fail "$width columns: $line"
  case $width in
    40) wanted='/1000$' ;;
    80) wanted='loss [0-9.]+  [0-9]+ tokens/s$' ;;
    132) wanted='tokens/s  activations [0-9.]+ [KM]?i?B now, [0-9.]+ [KM]?i?B peak$' ;;
  esac
  seen "$scratch/screen" "$wanted" screen
  seen "$scratch/screen" "$(printf '\033\\[32m#')" screen -e # once part of the bar is full
  in_tmux send-keys C-c
  seen "$scratch/screen" '^ended' screen
  [ "$(grep -c '%' "$scratch/screen")" = 1 ] || fail "$width columns, ended: $(cat "$scratch/screen")"
  grep -qE '% +in [0-9:]+  step' "$scratch/screen" || fail "$width columns: no last line: $(cat "$scratch/screen")"
  in_tmux kill-server
done

# A window that becomes narrower: the next line fits again.
terminal 132 -u NO_COLOR
in_tmux set-option window-size manual
in_tmux resize-window -x 40 -y 12
narrow() { screen && { grep '%' "$scratch/screen" | tail -n 1 >"$scratch/last"; }; }
seen "$scratch/last" '^\[#*\.+\] +[0-9]+%  [0-9:]+ left  step [0-9]+/1000$' narrow
in_tmux kill-server

for without in NO_COLOR=1 TERM=dumb; do
  terminal 80 "$without"
  seen "$scratch/screen" '\[#' screen -e # part of the bar is full
  [ "$(tr -d -c '\033' <"$scratch/screen" | wc -c)" = 0 ] || fail "colour with $without: $(cat -v "$scratch/screen")"
  in_tmux kill-server
done
finish
