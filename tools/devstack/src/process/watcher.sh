#!/bin/sh
# Usage: watcher.sh <grace seconds> <command> [arguments…]
# Runs the command and ends it when standard input closes, which it does when the parent is gone, however
# that happened. The command's process id goes to descriptor 3. It runs in the watcher's process group,
# which the parent makes its own one, so that Ctrl-C in a terminal doesn't reach it.
grace=$1
shift
exec 4<&0 </dev/null

"$@" 3>&- 4<&- &
child=$!
echo "$child" >&3
exec 3>&-

{
  cat <&4 >/dev/null
  kill -TERM "$child"
  # A stopped process gets its TERM only when it goes on.
  kill -CONT "$child"
  sleep "$grace"
  kill -KILL "$child"
} 2>/dev/null &
exec 4<&-

wait "$child"
code=$?
# Whatever else is in the group: the lines above, and what the command left.
trap '' TERM
kill -TERM 0
exit "$code"
