"""Makes a server talk: what its parts do prints to stdout, writes to descriptor 1, warns, logs and starts a child that
prints. Loaded by the interpreter because this folder is on PYTHONPATH.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

NOISY = {
    "grooveseek.app": [
        "KnowledgeBase.search",
        "KnowledgeBase.index",
        "KnowledgeBase.index_paths",
        "KnowledgeBase.store",
    ],
    "grooveseek.serving.prompts": ["render_prompt"],
    "grooveseek.serving.resources": ["list_groups", "read", "complete"],
    "grooveseek.serving.documents": ["DocumentReader.read"],
    "grooveseek.serving.catalog": ["Catalog.listing", "Catalog.topics"],
    "grooveseek.serving.schemas": ["Arguments.refusal"],
    "grooveseek.indexing.prepare": ["parse_guarded"],
    "grooveseek.embedding.fake": ["FakeEmbedder.embed_query"],
}


def make_noise(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def noisy(*arguments: Any, **options: Any) -> Any:
        print("noise: print", function.__qualname__)
        os.write(1, b"noise: descriptor 1\n")
        warnings.warn("noise: warning", ResourceWarning, stacklevel=1)
        logging.getLogger("noise").error("noise: log")
        if not hasattr(make_noise, "child"):
            make_noise.child = True  # type: ignore[attr-defined]
            subprocess.run(["sh", "-c", "echo noise: child"], check=False)
        return function(*arguments, **options)

    return noisy


def wrap(module: ModuleType) -> None:
    for name in NOISY.get(module.__name__, ()):
        owner: Any = module
        *above, last = name.split(".")
        for part in above:
            owner = getattr(owner, part)
        setattr(owner, last, make_noise(getattr(owner, last)))


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname not in NOISY:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.loader is not None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            wrap(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, Finder())
