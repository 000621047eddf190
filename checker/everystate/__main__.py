"""The command `everystate`, also `python -m everystate`."""

import gc
import sys


def main() -> int:
    """Run the command line; Ctrl-C while that is still loading ends without a traceback, as it does later."""
    gc.disable()  # nothing that modules make is garbage; to look for it is a tenth of the time that they take to load
    try:
        from everystate.checker.cli.main import main as run
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    finally:
        gc.enable()
    return run()


if __name__ == "__main__":
    sys.exit(main())
