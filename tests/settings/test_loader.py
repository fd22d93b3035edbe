from __future__ import annotations

import re
from pathlib import Path

import pytest
from grooveseek.errors import ConfigError
from grooveseek.settings.loader import load_settings, read_config
from grooveseek.settings.sections import Settings

SOURCE = Path("/etc/groove/groove.toml").absolute()
HERE = SOURCE.parent


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load_settings(text, SOURCE)
    message = str(caught.value)
    assert message.startswith(f"{SOURCE}")
    return message.removeprefix(f"{SOURCE}:")


def test_an_empty_file_is_the_defaults():
    assert load_settings("", SOURCE) == (Settings(), {})


def test_values_arrive_in_their_sections_with_their_lines():
    settings, provenance = load_settings(
        'model = "bge-m3"\n[search.mmr]\nenabled = true\nlambda = 1\n[eval]\nk_values = [\n 3 ]\n', SOURCE
    )
    assert settings.model == "bge-m3"
    assert settings.search.mmr.enabled is True
    assert settings.search.mmr.lambda_ == 1.0
    assert isinstance(settings.search.mmr.lambda_, float)
    assert settings.eval.k_values == (3,)
    assert provenance == {"model": 1, "search.mmr.enabled": 3, "search.mmr.lambda": 4, "eval.k_values": 6}


def test_dotted_keys_and_inline_tables_are_tables_too():
    settings, provenance = load_settings(
        'search.mmr.lambda = 0.5\ntransport = { kind = "http", http.max_sessions = 3 }\n', SOURCE
    )
    assert settings.search.mmr.lambda_ == 0.5
    assert settings.transport.kind == "http"
    assert settings.transport.http.max_sessions == 3
    assert provenance == {"search.mmr.lambda": 1, "transport.kind": 2, "transport.http.max_sessions": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\nmodl = 1", "2: modl is not a setting. Did you mean model?"),
        ("kb-path = 'x'", "1: kb-path is not a setting. Did you mean kb_path?"),
        ("[serch]\n", "1: serch is not a setting. Did you mean search?"),
        ("[search.mmr]\n\nlamda = 1", "3: search.mmr.lamda is not a setting. Did you mean search.mmr.lambda?"),
        ("[search.mmr]\nlambda_ = 1", "2: search.mmr.lambda_ is not a setting. Did you mean search.mmr.lambda?"),
        ("[mmr]\nlambda = 1", "1: mmr is not a setting. Did you mean search.mmr?"),
        ("rrf_k = 1", "1: rrf_k is not a setting. Did you mean search.fusion.rrf_k?"),
        ("[eval]\nzzzz = 1", "2: eval.zzzz is not a setting. The keys here are: "),
        ("'a b'.'é' = 1", "1: 'a b' is not a setting. "),
        ("[[wach]]", "1: wach is not a setting. Did you mean watch?"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(text: str, expected: str):
    assert complaint(text).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("model = 3", "1: model must be a text, not 3."),
        ("model = true", "1: model must be a text, not true."),
        ("rerank_by_default = 1", "1: rerank_by_default must be true or false, not 1."),
        ("rerank_by_default = 'yes'", "1: rerank_by_default must be true or false, not the text 'yes'."),
        ("rerank_timeout_ms = true", "1: rerank_timeout_ms must be a whole number, not true."),
        ("rerank_timeout_ms = 1.0", "1: rerank_timeout_ms must be a whole number, not 1.0."),
        ("rerank_timeout_ms = -1", "1: rerank_timeout_ms must be at least 0, not -1."),
        ("rerank_timeout_ms = 600001", "1: rerank_timeout_ms must be at most 600000, not 600001."),
        ("kb_path = 1979-05-27", "1: kb_path must be a path, not a date or time."),
        ("kb_path = ''", "1: kb_path must not be empty."),
        ('kb_path = "a\\u0000b"', "1: kb_path must not hold a NUL character."),
        ("kb_path = {}", "1: kb_path must be a path, not a table."),
        ("reranker = '  '", "1: reranker must not be blank."),
        ("exclude_dirs = 'x'", '1: exclude_dirs must be a list of texts, such as ["a", "b"], not the text \'x\'.'),
        ("exclude_dirs = [\n'a',\n2]", "3: exclude_dirs must hold texts only, not 2."),
        ("exclude_headings = ['a',\n '']", "2: exclude_headings must not be empty."),
        ("[quality_filter]\nthreshold = true", "2: quality_filter.threshold must be a number, not true."),
        ("[quality_filter]\nthreshold = 1.01", "2: quality_filter.threshold must be at most 1, not 1.01."),
        ("[quality_filter]\nthreshold = nan", "2: quality_filter.threshold must be a finite number, not nan."),
        ("[search]\nmin_confidence_ratio = inf", "2: search.min_confidence_ratio must be a finite number, not inf."),
        (f"[search]\nmin_confidence_ratio = 1{'0' * 400}", "2: search.min_confidence_ratio must be a finite number, "),
        ("[search.fusion]\nrrf_k = 0.5", "2: search.fusion.rrf_k must be at least 1, not 0.5."),
        ("[transport]\nkind = 'htp'", '2: transport.kind must be "stdio" or "http", not the text \'htp\'.'),
        (
            "embedding.provider = 'x'",
            '1: embedding.provider must be "local", "fastembed" or "openai", not the text \'x\'.',
        ),
        ("[eval]\nk_values = []", "2: eval.k_values must have at least one element."),
        ("[eval]\nk_values = [\n1,\n0]", "4: eval.k_values must be at least 1, not 0."),
        ("[eval]\nk_values = [true]", "2: eval.k_values must hold whole numbers only, not true."),
        ("[eval]\nk_values = [1.5]", "2: eval.k_values must hold whole numbers only, not 1.5."),
        ("search = 3", "1: search must be a table, written [search], not 3."),
        ("[[search]]\n", "1: search must be a table, written [search], not a list."),
        ("[search]\nmmr = true", "2: search.mmr must be a table, written [search.mmr], not true."),
        ("[transport.http]\nbind = '3100'", "2: transport.http.bind must be an address and a port, such as "),
        ("[transport.http]\nbind = 'a:70000'", "2: transport.http.bind must have a port of at most 65535, not 70000."),
        ("fastembed_cache_dir = 'x/y'", "1: fastembed_cache_dir must be an absolute path, not the text 'x/y'."),
    ],
)
def test_a_wrong_value_is_named_with_line_key_and_value(text: str, expected: str):
    assert complaint(text).startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"10 MiB"', 10 * 1024 * 1024),
        ('"10mib"', 10 * 1024 * 1024),
        ('" 1.5 KiB "', 1536),
        ('"2 GiB"', 2 * 1024**3),
        ('"1 TiB"', 1024**4),
        ('"1 kB"', 1000),
        ('"3 MB"', 3_000_000),
        ('"7 B"', 7),
        ('"12"', 12),
        ("12", 12),
        ('"unlimited"', None),
        ('"Unlimited"', None),
    ],
)
def test_sizes_have_units(text: str, expected: int | None):
    settings, _ = load_settings(f"[index]\nmax_raw_text_size = {text}\n", SOURCE)
    assert settings.index.max_raw_text_size == expected


@pytest.mark.parametrize("text", ['"10 M"', '"ten"', '""', '"-1 MiB"', '"1e3"', "1.5", "true", '"1 \u212aiB"', '"٣"'])
def test_a_text_that_is_no_size_is_refused(text: str):
    assert complaint(f"[index]\nmax_raw_text_size = {text}\n").startswith(
        '2: index.max_raw_text_size must be a size such as "10 MiB", a number of bytes or "unlimited", not '
    )


@pytest.mark.parametrize(
    ("text", "bound"), [("0", "at least 1"), ('"0 MiB"', "at least 1"), ('"9e"', ""), ('"9999999 TiB"', "at most")]
)
def test_a_size_has_a_range(text: str, bound: str):
    assert f"index.max_raw_text_size must be {bound}" in complaint(f"[index]\nmax_raw_text_size = {text}\n")


def test_the_legs_cannot_both_weigh_nothing():
    message = complaint("[search.fusion]\nvector_weight = 0\n\nfts_weight = 0.0\n")
    assert message.startswith("4: search.fusion.vector_weight and search.fusion.fts_weight cannot both be 0")
    settings, _ = load_settings("[search.fusion]\nvector_weight = 0\n", SOURCE)
    assert settings.search.fusion.vector_weight == 0.0


def test_relative_paths_start_from_the_files_directory():
    settings, _ = load_settings('kb_path = "../notes"\n[index]\npath = "index/g.db"\n', SOURCE)
    assert settings.kb_path == HERE / "../notes"
    assert settings.index.path == HERE / "index/g.db"


def test_a_path_may_name_the_files_own_directory():
    assert load_settings('kb_path = "."', SOURCE)[0].kb_path == HERE


def test_home_directories_are_expanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    settings, _ = load_settings('kb_path = "~/notes"\nfastembed_cache_dir = "~/models"\nmodel = "~/m"', SOURCE)
    assert settings.kb_path == tmp_path / "notes"
    assert settings.fastembed_cache_dir == tmp_path / "models"
    assert settings.model == str(tmp_path / "m")


def test_an_unknown_users_home_is_refused():
    assert complaint('kb_path = "~no-such-user/notes"').startswith(
        "1: kb_path starts with a home directory that is not known"
    )


@pytest.mark.parametrize("name", ["bge-m3", "BAAI/bge-m3", "sentence-transformers/all-MiniLM-L6-v2"])
def test_a_model_is_a_name_with_or_without_its_publisher(name: str):
    settings, _ = load_settings(f'model = "{name}"\nreranker = "{name}"', SOURCE)
    assert (settings.model, settings.reranker) == (name, name)


@pytest.mark.parametrize(
    "path", ["./models/mini", "../mini", "models/of/mine", "models/", "models/.mini", ".models/mini"]
)
def test_a_model_with_a_separator_is_a_directory_unless_it_could_be_published_so(path: str):
    settings, _ = load_settings(f'model = "bge-m3"\nreranker = "{path}"', SOURCE)
    assert settings.reranker == str(HERE / path)


def test_a_directory_that_exists_is_taken_before_a_published_name(tmp_path: Path):
    (tmp_path / "BAAI" / "bge-m3").mkdir(parents=True)
    settings, _ = load_settings('model = "BAAI/bge-m3"\nreranker = "BAAI/bge-base"', tmp_path / "groove.toml")
    assert settings.model == str(tmp_path / "BAAI" / "bge-m3")
    assert settings.reranker == "BAAI/bge-base"


def test_a_published_name_too_long_for_a_path_is_a_name():
    name = "org/" + "x" * 5000
    assert load_settings(f'model = "{name}"', SOURCE)[0].model == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nb = \n", "2: is not valid TOML: Invalid value at column 5."),
        ("a = 1\n\na = 2\n", "3: is not valid TOML: Cannot overwrite a value at column 6."),
        ('a = """\nx\n', "2: is not valid TOML: "),
        ("a = 1\n[b", "2: is not valid TOML: "),
        ("a = 1 b = 2", "1: is not valid TOML: "),
    ],
)
def test_a_syntax_error_has_its_line(text: str, expected: str):
    assert complaint(text).startswith(expected)


def test_nesting_too_deep_for_python_is_an_error_in_words():
    assert complaint("b = 1\na = " + "[" * 100_000).startswith("2: nests lists or tables too deeply")
    assert complaint("a = " + "[\n" * 5000 + "]\n" * 5000 + "b = [[]]").startswith("5000: nests lists or tables")


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{x=", "}")])
def test_nesting_of_any_depth_is_an_error_in_words(opening: str, closing: str):
    for depth in range(100, 600, 3):  # somewhere between, Python's own limit is met
        assert "groove.toml" not in complaint(f"a = {opening * depth}1{closing * depth}")


def test_a_number_too_long_for_python_is_an_error_in_words():
    message = complaint("\nrerank_timeout_ms = 1" + "0" * 4999 + "\nmodel = '1'\n")
    assert message == "2: holds a number of 5000 digits, too long to be read."


def test_a_huge_hexadecimal_number_is_named_without_its_digits():
    message = complaint("rerank_timeout_ms = 0x" + "f" * 5000)
    assert message == "1: rerank_timeout_ms must be at most 600000, not so large a number."


def test_a_long_value_is_cut_in_the_message():
    message = complaint(f"transport.kind = '{'x' * 5000}'")
    assert len(message) < 200
    assert re.search(r"x\.\.\.", message)


def test_a_file_may_start_with_a_byte_order_mark(tmp_path: Path):
    path = tmp_path / "groove.toml"
    path.write_bytes(b'\xef\xbb\xbfmodel = "x"\n')
    assert load_settings(read_config(path), path)[0].model == "x"


def test_a_file_that_is_not_utf8_is_named_with_its_line(tmp_path: Path):
    path = tmp_path / "groove.toml"
    path.write_bytes(b'model = "x"\n\nreranker = "\xff"\n')
    with pytest.raises(ConfigError, match=r"groove\.toml:3: is not UTF-8"):
        read_config(path)


def test_a_file_beyond_a_mebibyte_is_refused(tmp_path: Path):
    path = tmp_path / "groove.toml"
    path.write_text("#" * (1024 * 1024))
    assert read_config(path)
    path.write_text("#" * (1024 * 1024 + 1))
    with pytest.raises(ConfigError, match="larger than 1 MiB"):
        read_config(path)


def test_a_file_that_is_gone_is_an_error_with_the_systems_reason(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"groove\.toml: cannot be read: No such file"):
        read_config(tmp_path / "groove.toml")
