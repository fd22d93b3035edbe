import numpy as np
from grooveseek.embedding.e5.source import Source
from grooveseek.embedding.e5.tokenizer import save_tokenizer
from tokenizers import Tokenizer

PIECES = ("<s>", "<pad>", "</s>", "<unk>", "▁", "▁ab", "c", "ア", "~", "\uff5e", "a", "b", "<mask>")


def load(tmp_path):
    scores = np.array([0, 0, 0, 0, -2, -3, -4, -5, -6, -6, -7, -7, 0], np.float32)
    save_tokenizer(Source(PIECES, scores, {}, {}), tmp_path / "tokenizer.json", window=8)
    return Tokenizer.from_file(str(tmp_path / "tokenizer.json"))


def tokens(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False).tokens


def test_the_library_reads_it(tmp_path):
    tokenizer = load(tmp_path)
    assert tokenizer.encode("abc").tokens == ["<s>", "▁ab", "c", "</s>"]
    assert tokenizer.encode("abc").ids == [0, 5, 6, 2]
    assert tokenizer.encode("c", "c").ids == [0, 4, 6, 2, 2, 4, 6, 2]
    assert tokenizer.encode("c c c c c").ids == [0, 4, 6, 4, 6, 4, 6, 2]  # cut at the window of 8
    assert tokenizer.get_vocab_size() == len(PIECES)
    assert tokenizer.decode([0, 5, 6, 2]) == "abc"


def test_text_is_normalised_as_sentencepiece_does(tmp_path):
    tokenizer = load(tmp_path)
    assert tokens(tokenizer, "ａｂｃ") == ["▁ab", "c"]
    assert tokens(tokenizer, "ｱ") == ["▁", "ア"]
    assert tokens(tokenizer, "c  \t c") == ["▁", "c", "▁", "c"]
    assert tokens(tokenizer, "\uff5e") == ["▁", "\uff5e"]
    assert tokens(tokenizer, "~") == ["▁", "~"]


def test_an_unknown_character_and_the_mask_have_ids_of_their_own(tmp_path):
    tokenizer = load(tmp_path)
    assert tokenizer.encode("q", add_special_tokens=False).ids == [4, 3]
    assert tokenizer.encode("c <mask>", add_special_tokens=False).ids == [4, 6, len(PIECES) - 1]
