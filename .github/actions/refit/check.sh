#!/usr/bin/env bash
# verify, lint and diff of a folder in a repository. Writes a text for a comment, and ends with 1 if a file is not exact
# or has a finding that is bad enough. REFIT, REFIT_PATH, REFIT_BASE and REFIT_FAIL_ON are the inputs of action.yml.
set -uo pipefail
refit=${REFIT:-refit}
path=${REFIT_PATH:-.}
fail_on=${REFIT_FAIL_ON:-crashes}
work=$(mktemp -d)
comment=$work/comment.md
failed=0

# A relative path of the program is one of the repository.
case $refit in */*) refit=$(cd "$(dirname "$refit")" && pwd)/$(basename "$refit") ;; esac

# Adds the output of a command, at most 200 lines: comments have a limit of 65,536 characters.
block() {
    printf '\n### %s\n\n```\n' "$1" >> "$comment"
    sed 's/```/` ` `/g' "$2" | cut -c1-300 | head -n 200 >> "$comment"
    [ "$(wc -l < "$2")" -le 200 ] || echo "… $(wc -l < "$2") lines in all" >> "$comment"
    printf '```\n' >> "$comment"
}

"$refit" verify --color never "$path" > "$work/verify" 2>&1
case $? in
    0) printf 'Every file of `%s` comes back bit for bit.\n' "$path" > "$comment" ;;
    *) printf '**A file of `%s` is not exact.**\n' "$path" > "$comment"; block "refit verify" "$work/verify"; failed=1 ;;
esac

"$refit" lint --color never "$path" > "$work/lint" 2>&1
code=$?
if [ $code -ne 0 ]; then
    block "refit lint" "$work/lint"
    [ $code -eq 3 ] || failed=1
fi
# The severities from the mildest that counts.
worse=""
for severity in refuses crashes ignores differs unusual; do
    [ "$fail_on" = never ] && break
    worse="$worse $severity"
    [ "$severity" = "$fail_on" ] && break
done
if [ -n "$worse" ]; then
    "$refit" lint --json "$path" > "$work/lint.json" 2> /dev/null
    for severity in $worse; do
        if grep -q "\"severity\":\"$severity\"" "$work/lint.json"; then failed=1; fi
    done
fi

if [ -n "${REFIT_BASE:-}" ]; then
    if git worktree add --quiet --detach "$work/base" "$REFIT_BASE" 2> "$work/git" && [ -e "$work/base/$path" ]; then
        "$refit" diff --color never "$work/base/$path" "$path" > "$work/diff" 2>&1
        case $? in
            0) printf '\nNo file changed.\n' >> "$comment" ;;
            3) sed -i "s|$work/base/||g" "$work/diff"; block "refit diff" "$work/diff" ;;
            *) block "refit diff" "$work/diff"; failed=1 ;;
        esac
    else
        printf '\nThere is nothing to compare with at `%s` (a checkout needs `fetch-depth: 0`).\n' "$REFIT_BASE" >> "$comment"
    fi
    git worktree remove --force "$work/base" 2> /dev/null || true
fi

cat "$comment"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$comment" >> "$GITHUB_STEP_SUMMARY"
[ -z "${GITHUB_OUTPUT:-}" ] || echo "comment=$comment" >> "$GITHUB_OUTPUT"
exit $failed
