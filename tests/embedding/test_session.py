import threading
import time

import numpy as np
import onnx
import pytest
from grooveseek.embedding.lazy import Lazy
from grooveseek.embedding.session import OnnxSession, available_cores, plan_batches, run_all
from grooveseek.errors import EmbeddingError
from onnx import TensorProto, helper


def test_batches_group_like_lengths_and_begin_with_the_longest():
    assert plan_batches([5, 9, 1, 9, 4], rows=2, tokens=100) == [[1, 3], [0, 4], [2]]


def test_a_batch_counts_its_padding():
    # 30 + 30 padded tokens fit 60, a third would make 90.
    assert plan_batches([30, 1, 1], rows=8, tokens=60) == [[0, 1], [2]]


def test_a_text_longer_than_a_batch_may_be_is_alone():
    assert plan_batches([500, 3], rows=8, tokens=100) == [[0], [1]]


def test_no_texts_are_no_batches():
    assert plan_batches([], rows=8, tokens=100) == []


def test_one_at_a_time_is_batches_of_one():
    assert plan_batches([1, 1, 1], rows=1, tokens=100) == [[0], [1], [2]]


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
@pytest.mark.parametrize("one_at_a_time", [True, False])
def test_results_come_back_in_order_whatever_the_threads(threads, one_at_a_time):
    encodings = ["x" * (number * 7 % 23) for number in range(50)]

    def run(batch):
        return np.array([[len(text)] for text in batch])

    rows = run_all(encodings, run, threads=threads, one_at_a_time=one_at_a_time)
    assert [int(row[0]) for row in rows] == [len(text) for text in encodings]


def test_as_many_runs_as_threads_happen_at_once():
    meeting = threading.Barrier(3, timeout=60)

    def run(batch):
        meeting.wait()  # breaks unless three runs are here together
        return np.zeros((len(batch), 1))

    run_all(["text"] * 3, run, threads=3, one_at_a_time=True)
    assert not meeting.broken


def test_one_thread_runs_in_the_caller_s():
    seen = set()

    def run(batch):
        seen.add(threading.current_thread())
        return np.zeros((len(batch), 1))

    run_all(["text"] * 3, run, threads=1, one_at_a_time=True)
    assert seen == {threading.current_thread()}


def test_what_a_run_raises_arrives():
    def run(batch):
        raise EmbeddingError("broken")

    with pytest.raises(EmbeddingError, match="broken"):
        run_all(["text"] * 3, run, threads=2, one_at_a_time=True)


def test_a_run_takes_one_thread(embedder_dir):
    # Several runs at once share the cores; and a result must not depend on how a run was split.
    options = OnnxSession(embedder_dir / "model.onnx", remedy="")._session.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)


def test_there_is_a_core():
    assert available_cores() >= 1


def test_a_missing_model_is_named_with_the_remedy(tmp_path):
    with pytest.raises(EmbeddingError, match=r"model file .*model\.onnx is missing: copy it again"):
        OnnxSession(tmp_path / "model.onnx", remedy="copy it again")


@pytest.mark.parametrize("size", [0, 1, 1000, 5000])
def test_a_truncated_model_is_named_with_the_remedy(tmp_path, embedder_dir, size):
    path = tmp_path / "model.onnx"
    path.write_bytes((embedder_dir / "model.onnx").read_bytes()[:size])
    with pytest.raises(EmbeddingError, match=r"model file .*model\.onnx cannot be loaded \([\w ]+\.\): copy it again"):
        OnnxSession(path, remedy="copy it again")


def test_a_model_that_wants_more_than_a_text_is_refused(tmp_path):
    node = helper.make_node("Identity", ["pixel_values"], ["sentence_embedding"])
    value = helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, ["batch", 4])
    output = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", 4])
    model = helper.make_model(
        helper.make_graph([node], "image", [value], [output]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.save(model, tmp_path / "model.onnx")
    with pytest.raises(EmbeddingError, match="asks for the input pixel_values"):
        OnnxSession(tmp_path / "model.onnx", remedy="")


def test_a_lazy_value_is_made_once_for_all_threads():
    made, seen, start = [], [], threading.Barrier(8, timeout=60)

    def make():
        made.append(1)
        time.sleep(0.05)  # long enough for the others to get here, if nothing keeps them
        return object()

    lazy = Lazy(make)

    def ask():
        start.wait()
        seen.append(lazy.value)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(set(map(id, seen))) == 1


def test_a_lazy_value_that_failed_is_tried_again():
    answers = iter([EmbeddingError("not yet"), "here"])

    def make():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    lazy = Lazy(make)
    with pytest.raises(EmbeddingError):
        _ = lazy.value
    assert lazy.value == "here"
