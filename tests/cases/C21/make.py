"""Write case C21 under OUT/kb: links to .., ., themselves and nowhere, a second hard link, a pipe. Needs POSIX."""

import os
import pathlib
import sys

kb = pathlib.Path(sys.argv[1]) / "kb"
(kb / "sub").mkdir(parents=True, exist_ok=True)
(kb / "a.md").write_text("# A\n\nword: avocet\n")
(kb / "sub" / "c.md").write_text("# C\n\nword: curlew\n")
(kb / "sub" / "up").symlink_to("..")
(kb / "dot").symlink_to(".")
(kb / "self").symlink_to("self")
(kb / "dangling.md").symlink_to("nowhere.md")
(kb / "sub" / "link.md").symlink_to("../a.md")
os.link(kb / "a.md", kb / "hard.md")
os.mkfifo(kb / "pipe.md")
