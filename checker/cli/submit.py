"""The command line as a file that spark-submit can run: spark-submit [OPTIONS OF SPARK] submit.py COMMAND [OPTIONS].

spark-submit runs a file that ends in .py, and knows nothing of installed commands. Everything that it sets (master,
memory, Java, the log) holds; --engine spark is still to be given, --master is not needed.
"""

import sys

from everystate.checker.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
