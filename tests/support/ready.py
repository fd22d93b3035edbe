"""What large indexes have ready, for indexes of any size."""

from __future__ import annotations

import pytest
from grooveseek.store import make_ready, vectors
from grooveseek.store.store import Store


def make_ready_for_any_size(store: Store) -> None:
    """Write the pieces as if the index were large and every word common."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make_ready, "LARGE", 0)
        patch.setattr(make_ready, "LEAST_COMMON", 1)
        patch.setattr(vectors, "KEPT_IN_MEMORY", -1)
        make_ready.make_ready(store.database)
