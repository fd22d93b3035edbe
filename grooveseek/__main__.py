"""``python -m grooveseek`` is the ``groove`` command."""

import sys

from grooveseek.cli import main

if __name__ == "__main__":
    sys.exit(main())
