#!/bin/sh
# Ends a program whose host is gone, however the host ended: `sh session-guard.sh <number of the program>`. Its input ends with
# the host. The other end of the program's terminal is its descriptor 3: when that is closed, the system tells the program, which
# ends most programs, but not all: Gemini CLI ignores it in one process. What is left of its session after five seconds is killed.
# So are the commands that the program runs in sessions of their own: OpenCode ends at once, and leaves them behind.
leader=$1 start=''
if { read -r line <"/proc/$leader/stat"; } 2>/dev/null; then
  set -- ${line##*) }
  start=${20}
fi
while read -r _; do :; done

# Sets `all` to the processes that have not ended, each as number:start:parent:session.
look() {
  all=''
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    pid=${file#/proc/}
    # The name of the program, which may contain anything, is before the last parenthesis.
    set -- ${line##*) }
    case $1 in
    Z | X) ;;
    *) all="$all ${pid%/stat}:${20}:$2:$4" ;;
    esac
  done
}

# Adds to `started` what the program has started, and what that has started, each as number:start. One whose parent has
# ended, as that of a service in the background, is not among them.
started=''
find_started() {
  case "$all " in
  *" $leader:$start:"*) ;;
  *) return 0 ;;
  esac
  family=" $leader " known=''
  while [ "$family" != "$known" ]; do
    known=$family
    for one in $all; do
      rest=${one#*:*:}
      case $family in
      *" ${one%%:*} "*) ;;
      *" ${rest%%:*} "*)
        family="$family${one%%:*} "
        started="$started ${one%:*:*}"
        ;;
      esac
    done
  done
}

# Sets `left` to the processes of the session that have not ended.
find_left() {
  left=''
  for one in $all; do
    case $one in
    "$leader:$start:"*) left="$left $leader" ;;
    # All have ended: the number of a session is not used again before.
    "$leader:"*)
      left=''
      return
      ;;
    *":$leader") left="$left ${one%%:*}" ;;
    esac
  done
}

look
find_started
find_left
exec 3>&-
# The system tells the leader only, and job.sh waits for its program.
kill -HUP $left 2>/dev/null
kill -CONT $left 2>/dev/null
seconds=0
while look; find_started; find_left; [ -n "$left" ] && [ "$seconds" -lt 10 ]; do
  if [ "$seconds" -ge 5 ]; then kill -KILL $left 2>/dev/null; fi
  sleep 1
  seconds=$((seconds + 1))
done
for one in $started; do
  case "$all " in
  *" $one:"*) kill -KILL "${one%%:*}" 2>/dev/null ;;
  esac
done

# Where there is no /proc, the group of the program is all that can be found.
if [ ! -e /proc/self/stat ]; then
  sleep 5
  kill -KILL -- "-$leader" 2>/dev/null
fi
