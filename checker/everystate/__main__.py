"""The command `everystate`, also `python -m everystate`."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C while that is still loading ends without a traceback, as it does later."""
    try:
        from everystate.checker.cli.main import main as run
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
