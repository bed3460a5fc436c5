#!/bin/sh
# Check capacity plans: check.sh [PLAN.toml ...], by default the one beside this script.
# Keeps NAME.xml (JUnit) and NAME.md of each in $REPORTS (default: reports).
# Exit code: 0 all hold; else the worst of: 2 bad input, 3 a plan no longer holds, 4 undecided.
set -u

reports=${REPORTS:-reports}
[ $# -gt 0 ] || set -- "$(dirname "$0")/plan.toml"
mkdir -p "$reports" || exit 2

worst=0
for plan in "$@"; do
    name=$(basename "$plan" .toml)
    splitwise-plan check "$plan" --junit "$reports/$name.xml" --format markdown >"$reports/$name.md"
    code=$?
    case $code in
        0) echo "$plan: holds" ;;
        3) echo "$plan: no longer holds, see $reports/$name.md" ;;
        4) echo "$plan: undecided, see $reports/$name.md" ;;
        *) echo "$plan: not checked" ;;
    esac
    # From bad to worse: 0 holds, 4 undecided, 3 no longer holds, then whatever was not checked.
    case $worst:$code in
        *:0 | 3:4 | [!034]*:3 | [!034]*:4) ;;
        *) worst=$code ;;
    esac
done
exit "$worst"
