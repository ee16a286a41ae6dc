#!/bin/sh
# Runs a program as a shell does, as a job in this terminal: `sh job.sh <program> [arguments...]`. Alone in its terminal
# a program cannot be stopped: the system ignores Ctrl-Z where nobody could bring the program back. When the job is stopped, so
# is this process; when this process goes on, so does the job.
trap : HUP INT QUIT TERM USR1 USR2
# What the shell itself has to say is of no interest.
exec 3>&2 2>/dev/null
set -m
"$@" 2>&3 3>&-
status=$?
while jobs %1 >/dev/null; do
  kill -STOP $$
  fg >/dev/null
  status=$?
done
exit "$status"
