#!/usr/bin/env bash
# The step of action.yml: install if wanted, run the matrix, pass its exit code on.
set -uo pipefail

if [ "${EVERYSTATE_INSTALL:-}" = action ]; then
  EVERYSTATE_INSTALL="$GITHUB_ACTION_PATH[z3]"  # interchangeable values need z3
fi
if [ -n "${EVERYSTATE_INSTALL:-}" ]; then
  python -m pip install --quiet --disable-pip-version-check "$EVERYSTATE_INSTALL" || exit 1
fi

arguments=(--github)
[ -n "${EVERYSTATE_TAG:-}" ] && arguments+=(--tag "$EVERYSTATE_TAG")
[ -n "${EVERYSTATE_BASELINE:-}" ] && arguments+=(--baseline "$EVERYSTATE_BASELINE")
[ -n "${EVERYSTATE_JUNIT:-}" ] && arguments+=(--junit "$EVERYSTATE_JUNIT")
[ -n "${EVERYSTATE_SARIF:-}" ] && arguments+=(--sarif "$EVERYSTATE_SARIF")
[ -n "${EVERYSTATE_REPORT:-}" ] && arguments+=(--json "$EVERYSTATE_REPORT")
[ -n "${EVERYSTATE_MATRIX:-}" ] && arguments+=(-- "$EVERYSTATE_MATRIX")

everystate matrix "${arguments[@]}"
code=$?
echo "exit-code=$code" >> "${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
