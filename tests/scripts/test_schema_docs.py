import importlib.util
import re
from pathlib import Path

from grooveseek.store.meta import FACTS

ROOT = Path(__file__).parents[2]


def script():
    spec = importlib.util.spec_from_file_location("schema_docs", ROOT / "scripts" / "schema_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_the_schema():
    page = (ROOT / "docs" / "schema.md").read_text("utf-8")
    assert page == script().render(), "run python3 scripts/schema_docs.py"


def test_every_fact_that_is_written_is_described():
    written = set()
    for path in (ROOT / "grooveseek").rglob("*.py"):
        text = path.read_text("utf-8")
        constants = dict(re.findall(r'^(_\w+) = "(\w+)"$', text, re.MULTILINE))
        for key in re.findall(r'(?:meta|Meta\(database\)|self)\.(?:set|get|remove)\(\s*("?\w+"?)', text):
            written.add(constants.get(key, key.strip('"')))
    assert written == set(FACTS)
