#!/bin/sh
# Ends a program whose host is gone, however the host ended: `sh session-guard.sh`, with the number of the program as
# its input, which ends with the host. The system has closed the program's terminal by then, which ends most programs, but not
# all: Gemini CLI ignores it in one process. What is left of its session after five seconds is killed.
leader='' start=''
while read -r pid; do
  leader=$pid
  if { read -r line <"/proc/$pid/stat"; } 2>/dev/null; then
    set -- ${line##*) }
    start=${20}
  fi
done
[ -n "$leader" ] || exit 0

# Sets `left` to the processes of the session that have not ended.
look() {
  left=''
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    pid=${file#/proc/}
    pid=${pid%/stat}
    # The name of the program, which may contain anything, is before the last parenthesis.
    set -- ${line##*) }
    if [ "$pid" = "$leader" ] && [ "${20}" != "$start" ]; then
      # All have ended: the number of a session is not used again before.
      left=''
      return
    fi
    case "$4 $1" in
    "$leader Z" | "$leader X") ;;
    "$leader "*) left="$left $pid" ;;
    esac
  done
}

seconds=0
while look; [ -n "$left" ]; do
  if [ "$seconds" -ge 5 ]; then kill -KILL $left 2>/dev/null; fi
  if [ "$seconds" -ge 10 ]; then exit 1; fi
  sleep 1
  seconds=$((seconds + 1))
done

# Where there is no /proc, the group of the program is all that can be found.
if [ ! -e /proc/self/stat ]; then
  sleep 5
  kill -KILL -- "-$leader" 2>/dev/null
fi
