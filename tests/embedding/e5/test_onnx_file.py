import numpy as np
import onnx
import onnxruntime
import pytest
from grooveseek.embedding.e5.onnx_file import FLOAT, INT32, INT64, Graph


def saved(graph, path, *, inputs, outputs):
    graph.save(path, inputs=inputs, outputs=outputs, opsets={"": 18, "com.microsoft": 1})
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    return model


@pytest.fixture
def model_file(tmp_path):
    return tmp_path / "model.onnx"


def test_a_graph_runs(model_file):
    graph = Graph("sums")
    two = graph.constant("two", np.array(2, np.float32))
    doubled = graph.op("Mul", ["x", two], "doubled")
    graph.op("Add", [doubled, graph.constant("row", np.array([[1, 2, 3]], np.float32))], "y")
    saved(graph, model_file, inputs={"x": (FLOAT, ["batch", 3])}, outputs={"y": (FLOAT, ["batch", 3])})
    session = onnxruntime.InferenceSession(str(model_file))
    (y,) = session.run(None, {"x": np.array([[1, 1, 1], [0, 10, -1]], np.float32)})
    assert y.tolist() == [[3, 4, 5], [1, 22, 1]]


def test_what_is_put_in_is_read_back_by_the_library(model_file):
    graph = Graph("everything")
    arrays = {
        kind.__name__: np.arange(300, dtype=kind).reshape(3, 100)
        for kind in (np.float32, np.float16, np.uint8, np.int8, np.int32, np.int64)
    }
    for name, array in arrays.items():
        graph.constant(name, array[:, ::-1])
    graph.op("LayerNormalization", ["x", "float32"], "y", axis=-1, epsilon=1e-12)
    graph.op("BitShift", ["uint8", "uint8"], "shifted", direction="RIGHT")
    model = onnx.ModelProto()
    graph.save(model_file, inputs={"x": (INT64, ["a", 7])}, outputs={"y": (INT32, [])}, opsets={"": 18, "d": 2})
    model.ParseFromString(model_file.read_bytes())
    read = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    assert read.keys() == arrays.keys()
    for name, array in arrays.items():
        assert read[name].dtype == array.dtype
        assert np.array_equal(read[name], array[:, ::-1])
    norm, shift = model.graph.node
    attributes = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in norm.attribute}
    assert attributes == {"axis": -1, "epsilon": np.float32(1e-12)}
    assert onnx.helper.get_attribute_value(shift.attribute[0]) == b"RIGHT"
    assert (norm.op_type, list(norm.input), list(norm.output)) == ("LayerNormalization", ["x", "float32"], ["y"])
    (x,) = model.graph.input
    assert x.type.tensor_type.elem_type == onnx.TensorProto.INT64
    assert [axis.dim_param or axis.dim_value for axis in x.type.tensor_type.shape.dim] == ["a", 7]
    assert {opset.domain: opset.version for opset in model.opset_import} == {"": 18, "d": 2}
    assert model.ir_version == 10


def test_a_node_may_have_a_domain_several_outputs_and_inputs_left_out(model_file):
    graph = Graph("quantised")
    first = graph.op("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"])
    assert first == "q"
    graph.op("Clip", ["scale", "", "scale"], "clipped")
    graph.op("FusedThing", ["q"], "z", domain="com.microsoft", num_heads=12)
    graph.save(model_file, inputs={}, outputs={}, opsets={"": 18})
    model = onnx.ModelProto()
    model.ParseFromString(model_file.read_bytes())
    quantise, clip, fused = model.graph.node
    assert list(quantise.output) == ["q", "scale", "zero"]
    assert list(clip.input) == ["scale", "", "scale"]
    assert (fused.domain, fused.attribute[0].i) == ("com.microsoft", 12)
