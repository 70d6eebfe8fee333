"""Files of recurrent models: every layout is read, nothing of them is run, and what is wrong is said."""

from __future__ import annotations

import math
import pickle
import random
import re
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import lstm_cases as cases  # noqa: E402
from lstm_cases import Call, Name, Outside, Table, pickled  # noqa: E402

from scorers.errors import ScoreError  # noqa: E402
from scorers.models.lstm_weights import LstmWeights, read_weights  # noqa: E402

WORDS, EMBEDDING, HIDDEN = 11, 5, 7


@pytest.fixture
def model(tmp_path: Path) -> Any:
    torch.manual_seed(1)
    with cases.program(tmp_path) as module:
        yield module.RNNModel("LSTM", WORDS, EMBEDDING, HIDDEN, 2)


def assert_same(found: LstmWeights, expected: Mapping[str, Any]) -> None:
    assert set(found.tensors) == set(expected)
    for name, tensor in expected.items():
        assert torch.equal(found.tensors[name], tensor.detach()), name


def refusal(path: Path) -> str:
    with pytest.raises(ScoreError) as caught:
        read_weights(str(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


# --- layouts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_old", [True, False], ids=["old", "zip"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"])
def test_a_pickled_module_of_either_layout(tmp_path: Path, kind: str, is_old: bool) -> None:
    with cases.program(tmp_path) as module:
        made = module.RNNModel(kind, WORDS, EMBEDDING, HIDDEN, 2)
        path = cases.save(made, tmp_path / "model.pt", is_old)
    found = read_weights(str(path))
    assert (found.mode, found.words, found.embedding, found.hidden, found.layers) == (
        kind, WORDS, EMBEDDING, HIDDEN, 2,
    )  # fmt: skip
    assert_same(found, made.state_dict())


@pytest.mark.parametrize("is_old", [True, False], ids=["old", "zip"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_table_of_weights(tmp_path: Path, kind: str, is_old: bool) -> None:
    with cases.program(tmp_path) as module:
        made = module.RNNModel(kind, WORDS, EMBEDDING, HIDDEN, 1)
    state = made.state_dict()
    plain = cases.save(state, tmp_path / "plain.pt", is_old)
    wrapped = cases.save(
        {"epoch": 3, "state_dict": {f"module.{name}": tensor for name, tensor in state.items()}},
        tmp_path / "wrapped.pt",
        is_old,
    )
    for path in (plain, wrapped):
        found = read_weights(str(path))
        assert found.mode == kind
        assert_same(found, state)


def test_tied_weights_and_half_precision_and_a_second_decoder(tmp_path: Path) -> None:
    with cases.program(tmp_path) as module:
        made = module.RNNModel("LSTM", WORDS, HIDDEN, HIDDEN, 1, tie_weights=True)
        made.decoder_pos = torch.nn.Linear(HIDDEN, 3)
        made = made.half()
        path = cases.save(made, tmp_path / "tied.pt")
    found = read_weights(str(path))
    assert found.tensors["encoder.weight"] is found.tensors["decoder.weight"]
    assert_same(found, {name: tensor for name, tensor in made.state_dict().items() if "decoder_pos" not in name})


@pytest.mark.parametrize("is_python_2", [False, True])
def test_a_file_of_torch_0_3_from_a_gpu(
    tmp_path: Path, model: Any, is_python_2: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    root, storages = cases.as_torch_0_3(model.state_dict())
    path = cases.old_file(tmp_path / "model.pt", root, storages, is_python_2)
    assert_same(read_weights(str(path)), model.state_dict())
    assert not (tmp_path / "ran").exists()  # the program's text beside the class is not run


def test_a_parameter_with_its_tensor_in_the_state(tmp_path: Path, model: Any) -> None:
    """As before torch 0.2: NEWOBJ, and a state of five parts."""
    root, storages = cases.as_torch_0_3(model.state_dict())
    encoder = root.state["_modules"]["encoder"]
    parameter = encoder.state["_parameters"]["weight"]
    (tensor,) = parameter.arguments
    state = (tensor, None, Table(), True, False)
    encoder.state["_parameters"]["weight"] = Call(parameter.function, (), state, is_new=True)
    assert_same(read_weights(str(cases.old_file(tmp_path / "model.pt", root, storages))), model.state_dict())


def test_views_with_strides(tmp_path: Path, model: Any) -> None:
    with torch.no_grad():
        model.decoder.weight = torch.nn.Parameter(torch.randn(HIDDEN, WORDS + 2).t()[1:-1])
    assert not model.decoder.weight.is_contiguous()
    path = cases.save(model, tmp_path / "model.pt")
    assert_same(read_weights(str(path)), model.state_dict())


# --- what is refused ----------------------------------------------------------------------------------------------

ATTACKS: Mapping[str, tuple[str, Any]] = {
    "system": ("os.system", Call(Name("os.system"), ("touch ran",))),
    "posix": ("posix.system", Call(Name("posix.system"), ("touch ran",))),
    "nt": ("subprocess.Popen", Call(Name("subprocess.Popen"), (["touch", "ran"],))),
    "eval": ("builtins.eval", Call(Name("builtins.eval"), ("open('ran', 'w')",))),
    "exec": ("__builtin__.execfile", Call(Name("__builtin__.execfile"), ("ran.py",))),
    "import": ("builtins.__import__", Call(Name("builtins.__import__"), ("os",))),
    "getattr": ("builtins.getattr", Call(Name("builtins.getattr"), (Name("torch._utils._rebuild_tensor"), "x"))),
    "open": ("io.open", Call(Name("io.open"), ("ran", "w"))),
    "load": ("torch.load", Call(Name("torch.load"), ("other.pt",))),
    "hub": ("torch.hub.load", Call(Name("torch.hub.load"), ("a/b", "c"))),
    "linear": ("torch.nn.modules.module.Module", Name("torch.nn.modules.module.Module")),
    "ours": ("scorers.models.lstm_pickle._Function", Name("scorers.models.lstm_pickle._Function")),
    "in a module": (
        "os.system",
        Call(Name("model.RNNModel"), (), {"_modules": Call(Name("os.system"), ("touch ran",))}, is_new=True),
    ),
    "in a storage": ("os.system", Outside(("storage", Call(Name("os.system"), ("touch ran",)), "0", "cpu", 1))),
    "as a class": ("os.system", Outside(("module", Name("os.system"), "", ""))),
}
# Names that are allowed, used otherwise than a model uses them.
MISUSED: Mapping[str, Any] = {
    "arguments of a model": Call(Name("model.RNNModel"), ("touch ran",), is_new=True),
    "a model that is called": Call(Name("model.RNNModel"), ("touch ran",)),
    "a function whose attributes change": Call(Name("torch._utils._rebuild_parameter"), (1, 2, 3), {"__code__": "x"}),
    "a set of no list": Call(Name("builtins.set"), (7,)),
    "a dictionary of no pairs": Call(Name("collections.OrderedDict"), ([1, 2],)),
    "a backend with arguments": Call(Name("torch.nn.backends.thnn._get_thnn_function_backend"), ("x",)),
    "a tensor of no storage": Call(Name("torch._utils._rebuild_tensor"), ("x", 0, (1,), (1,))),
    "too few arguments": Call(Name("torch._utils._rebuild_tensor_v2"), (1,)),
    "a parameter of no tensor": Call(Name("torch.nn.parameter.Parameter"), ("x",)),
    "a parameter of no tensor, made anew": Call(Name("torch._utils._rebuild_parameter"), ("x", True, None)),
    "a parameter with a state that is none": Call(Name("torch.nn.parameter.Parameter"), (), (1, 2), is_new=True),
    "a module whose state is no table": Call(Name("model.RNNModel"), (), [1], is_new=True),
    "no persistent id": Outside("7"),
    "a storage without a class": Outside(("storage", "torch.FloatStorage", "0", "cpu", 1, None)),
    "a storage of absurd size": Outside(("storage", Name("torch.FloatStorage"), "0", "cpu", 1 << 62, None)),
    "a storage of negative size": Outside(("storage", Name("torch.FloatStorage"), "0", "cpu", -1, None)),
    "a storage without a key": Outside(("storage", Name("torch.FloatStorage"), None, "cpu", 1, None)),
    "a view beyond the end": Outside(("storage", Name("torch.FloatStorage"), "0", "cpu", 4, ("v", 3, 2))),
    "a view that is none": Outside(("storage", Name("torch.FloatStorage"), "0", "cpu", 4, "v")),
    "a size of no numbers": Call(Name("torch.Size"), (7,)),
}


@pytest.mark.parametrize("layout", ["old", "zip", "raw", "system", "keys"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_model_does_not_need_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, attack: str, layout: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name, root = ATTACKS[attack]
    path, raw = tmp_path / "model.pt", pickled(root)
    if layout == "old":
        cases.old_file(path, root, {})
    elif layout == "zip":
        cases.new_file(path, raw)
    elif layout == "raw":
        path.write_bytes(raw)
    else:  # where no name at all may stand
        cases.old_file(path, {}, {}, **{layout: raw})
        name = "" if attack in ("in a module", "in a storage", "as a class") else name
    message = refusal(path)
    assert f"it asks for {name}" in message
    assert "nothing of the file was run" in message
    assert sorted(tmp_path.iterdir()) == [path]


class Toucher:
    """What Python itself pickles of an object that would create a file."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("open('ran', 'w').close()",))


@pytest.mark.parametrize("protocol", range(6))
def test_every_protocol_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: int) -> None:
    monkeypatch.chdir(tmp_path)
    raw = pickle.dumps({"encoder.weight": Toucher()}, protocol)
    name = "__builtin__.exec" if protocol < 3 else "builtins.exec"
    for path in (
        cases.old_file(tmp_path / "old.pt", None, {}, root=raw),
        cases.new_file(tmp_path / "new.pt", raw),
    ):
        assert f"it asks for {name}," in refusal(path)
    assert not (tmp_path / "ran").exists()
    pickle.loads(raw)  # the attack itself works where nothing stops it
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("case", MISUSED)
def test_names_that_are_needed_do_nothing_else(tmp_path: Path, case: str) -> None:
    root = MISUSED[case]
    for path in (
        cases.old_file(tmp_path / "old.pt", root, {}),
        cases.new_file(tmp_path / "new.pt", pickled({"a": root})),
    ):
        message = refusal(path)
        assert message.startswith(("damaged or cut off: ", "refused: ")), message


def test_a_stand_in_cannot_be_changed_for_the_next_file(tmp_path: Path, model: Any) -> None:
    """BUILD on a class or a function would change it for all."""
    good = cases.save(model, tmp_path / "good.pt")
    for name in (
        "model.RNNModel", "torch.nn.parameter.Parameter", "torch._utils._rebuild_tensor_v2", "torch.FloatStorage",
        "collections.OrderedDict", "builtins.set", "torch.backends.cudnn.rnn.Unserializable",
    ):  # fmt: skip
        for state in ({"dtype": 1, "class_name": 1}, (None, {"dtype": 1, "class_name": 1, "_run": 1})):
            raw = b"\x80\x02" + pickled(Name(name))[2:-1] + pickled(state)[2:-1] + b"b."
            refusal(cases.new_file(tmp_path / "bad.pt", raw))
    assert_same(read_weights(str(good)), model.state_dict())


@pytest.mark.parametrize(
    ("shape", "stride", "offset"),
    [((1 << 30, 1 << 30), (0, 0), 0), ((4,), (1,), 5), ((2, 2), (4, 4), 0), ((-1,), (1,), 0), ((2,), (1, 1), 0),
     ((2,), (1,), 1 << 60), ((True,), (1,), 0), ((1,) * 60, (1,) * 60, 0)],
)  # fmt: skip
def test_tensors_that_their_storages_do_not_hold(
    tmp_path: Path, shape: tuple[int, ...], stride: tuple[int, ...], offset: int
) -> None:
    storage = Outside(("storage", Name("torch.FloatStorage"), "0", "cpu", 8, None))
    root = {"encoder.weight": Call(Name("torch._utils._rebuild_tensor"), (storage, offset, shape, stride))}
    message = refusal(cases.old_file(tmp_path / "model.pt", root, {"0": torch.zeros(8)}))
    assert message.startswith("damaged or cut off: a tensor ")


@pytest.mark.parametrize(
    "raw",
    [
        b"\x80\x02Nr\xff\xff\xff\x7f.",  # a place in the memo that would take gigabytes
        b"\x80\x02\x8b\xff\xff\xff\x7f.",  # a number of two gigabytes
        b"\x80\x04\x8d" + struct.pack("<Q", 1 << 62) + b"x.",  # a text of exabytes
        b"\x80\x04\x95" + struct.pack("<Q", 1 << 62) + b"N.",
        b"\x80\x02\x82\x01.",  # from copyreg's table of extensions
        b"\x80\x02" + b"(" * 200_000 + b".",
        b"\x80\x02N]a.",
        b"\x80\x02N",
        b"\x80\x02.",
    ],
)
def test_pickles_that_claim_too_much(tmp_path: Path, raw: bytes) -> None:
    for path in (
        cases.old_file(tmp_path / "old.pt", None, {}, root=raw),
        cases.new_file(tmp_path / "new.pt", raw),
    ):
        assert refusal(path).startswith("damaged or cut off: ")


# --- damaged files, and other files -------------------------------------------------------------------------------


@pytest.mark.parametrize("is_old", [True, False], ids=["old", "zip"])
def test_files_that_are_cut_off(tmp_path: Path, model: Any, is_old: bool) -> None:
    raw = cases.save(model, tmp_path / "model.pt", is_old).read_bytes()
    path = tmp_path / "cut.pt"
    for length in [*range(16, len(raw), 211), len(raw) - 1]:
        path.write_bytes(raw[:length])
        assert refusal(path).startswith("damaged or cut off: "), length
    for length in range(1, 15):
        path.write_bytes(raw[:length])
        refusal(path)


@pytest.mark.parametrize("is_old", [True, False], ids=["old", "zip"])
def test_bytes_that_are_changed(tmp_path: Path, model: Any, is_old: bool) -> None:
    """Either the file is read, or one line says why not."""
    raw = cases.save(model, tmp_path / "model.pt", is_old).read_bytes()
    drawn = random.Random(7)
    outcomes = set()
    for _ in range(300):
        changed = bytearray(raw)
        for _ in range(drawn.randint(1, 4)):
            changed[drawn.randrange(min(len(raw), 2500))] = drawn.randrange(256)
        (tmp_path / "changed.pt").write_bytes(changed)
        try:
            read_weights(str(tmp_path / "changed.pt"))
            outcomes.add("read")
        except ScoreError as error:
            outcomes.add("refused" if len(str(error).splitlines()) == 1 else "refused in several lines")
    assert outcomes == {"read", "refused"}


def test_other_files(tmp_path: Path) -> None:
    def written(raw: bytes) -> str:
        path = tmp_path / "file.pt"
        path.write_bytes(raw)
        return refusal(path)

    assert written(b"").startswith("the file is empty; expected a .pt file")
    assert written(b"the dog barks .\n" * 40).startswith("a text; expected")
    assert written(struct.pack("<Q", 20) + b'{"a":{"dtype":"F32"}}').startswith("a safetensors file; expected")
    assert written(pickle.dumps([1, 2])).startswith("a pickle, but none of torch.save; expected")
    assert written(b"\x7fELF\x02\x01\x01" + bytes(600)).startswith("no file of torch.save; expected")
    assert "before 0.1.10" in written(bytes(257) + b"ustar" + bytes(300))
    with zipfile.ZipFile(tmp_path / "file.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "a zip archive without data.pkl" in refusal(tmp_path / "file.zip")
    packed = cases.new_file(tmp_path / "packed.pt", pickled({}), compression=zipfile.ZIP_DEFLATED)
    assert "is compressed" in refusal(packed)
    assert refusal(tmp_path / "none.pt") == "cannot be read: there is no such file"
    assert refusal(tmp_path) == "cannot be read: is a directory"


def test_numbers_with_the_highest_byte_first(tmp_path: Path) -> None:
    system = pickled({"protocol_version": 1001, "little_endian": False})
    assert "highest byte first" in refusal(cases.old_file(tmp_path / "old.pt", {}, {}, system=system))
    assert "version of the protocol" in refusal(cases.old_file(tmp_path / "older.pt", {}, {}, protocol=pickled(7)))


# --- models that do not fit ---------------------------------------------------------------------------------------


def saved(folder: Path, **changed: Any) -> Path:
    """A table of weights with some changed, or without those that are None."""
    with cases.program(folder) as module:
        state = dict(module.RNNModel("LSTM", WORDS, EMBEDDING, HIDDEN, 2).state_dict())
    state |= {name.replace("__", "."): value for name, value in changed.items()}
    return cases.save({name: value for name, value in state.items() if value is not None}, folder / "model.pt")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"decoder__weight": torch.zeros(12, 7)}, "decoder.weight is 12 x 7, and with 11 words .* would be 11 x 7"),
        ({"decoder__weight": torch.zeros(11, 5)}, "decoder.weight is 11 x 5, .* would be 11 x 7"),
        ({"decoder__bias": torch.zeros(10)}, "decoder.bias is 10, .* would be 11"),
        ({"encoder__weight": torch.zeros(11, 4)}, r"rnn.weight_ih_l0 is 28 x 5, .* of 4 numbers .* would be 28 x 4"),
        ({"rnn__weight_hh_l1": torch.zeros(28, 6)}, "rnn.weight_hh_l1 is 28 x 6, .* would be 28 x 7"),
        ({"rnn__weight_hh_l1": None}, "there is no rnn.weight_hh_l1 in it"),
        ({"encoder__weight": None}, "there is no encoder.weight in it; there are rnn.weight_ih_l0, "),
        ({"decoder__weight": torch.zeros(11, 7, dtype=torch.int64)}, "decoder.weight is of the kind int64"),
        ({"encoder__weight": torch.zeros(3)}, "encoder.weight is 3, and no matrix"),
        ({"rnn__weight_ih_l0_reverse": torch.zeros(28, 5)}, "reads in both directions"),
        ({"rnn__weight_hr_l0": torch.zeros(3, 7)}, "projects its state"),
        ({"decoder__bias": torch.tensor([math.nan] * 2 + [0.0] * 9)}, "decoder.bias has numbers .*: 2 nan of 11;"),
        ({"rnn__weight_hh_l1": torch.full((28, 7), -math.inf)}, "rnn.weight_hh_l1 has .*: 196 infinite of 196;"),
        ({"rnn__weight_hh_l0": torch.zeros(7, 7)}, "whether it is one of tanh or of relu"),
    ],
)
def test_parts_that_do_not_fit_are_named(tmp_path: Path, changed: dict[str, Any], expected: str) -> None:
    assert re.search(expected, refusal(saved(tmp_path, **changed)))


def test_modules_that_are_no_such_model(tmp_path: Path, model: Any) -> None:
    del model.decoder
    assert "a RNNModel without the part 'decoder'; there are drop, encoder, rnn" in refusal(
        cases.save(model, tmp_path / "model.pt")
    )
    assert "neither a model nor a table of weights" in refusal(cases.save([1, 2], tmp_path / "list.pt"))
    assert "there is no encoder.weight in it" in refusal(cases.save({"a": 1}, tmp_path / "table.pt"))


def test_a_module_that_reads_in_both_directions(tmp_path: Path, model: Any) -> None:
    model.rnn = torch.nn.LSTM(EMBEDDING, HIDDEN, 2, bidirectional=True)
    assert "both directions" in refusal(cases.save(model, tmp_path / "model.pt"))
