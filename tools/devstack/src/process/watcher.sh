#!/bin/sh
# Usage: watcher.sh <grace seconds> <command> [arguments…]
# Runs the command and ends it when standard input closes, which happens when the parent ends in any way.
# Writes the command's process id to descriptor 3. The command runs in the watcher's process group, which the
# parent creates separately, so that Ctrl-C in a terminal doesn't reach the command.
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
  # A stopped process gets its TERM only when it continues.
  kill -CONT "$child"
  sleep "$grace"
  kill -KILL "$child"
} 2>/dev/null &
exec 4<&-

wait "$child"
code=$?
# Ends the rest of the group: the block above, and processes that the command left.
trap '' TERM
kill -TERM 0
exit "$code"
