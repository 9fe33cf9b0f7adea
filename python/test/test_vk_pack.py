"""Packs: files with the plans of a model, by which other processes run it without compiling.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_pack.py

Packs are made in this process, and used in new ones, which have an empty cache folder.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings
import zipfile

FOLDER = tempfile.TemporaryDirectory()
os.environ["PUMICE_VK_PLANS"] = FOLDER.name
os.environ.pop("PUMICE_VK_PACKS", None)

from vk_testing import DEVICES

import torch

import pumice.torch
from pumice_torch.vk import packs
from pumice_torch.vk.plans import file

MODEL = """
import torch

def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.GELU(), torch.nn.Linear(5, 3))

def train(network, x, labels):
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loss = torch.nn.functional.mse_loss(network(x), labels)
    loss.backward()
    optimizer.step()
    return loss.detach()

def inputs():
    torch.manual_seed(1)
    return torch.randn(4, 6), torch.randn(4, 3)
"""
_model: dict = {}
exec(MODEL, _model)
model, train, inputs = (_model[name] for name in ("model", "train", "inputs"))

# It prints what a process did, as JSON.
USE = MODEL + """
import json, os, sys, warnings
device, path, what = sys.argv[1:]
said = []
warnings.showwarning = lambda message, *more: said.append(str(message))
if path:
    import pumice.torch
    said.append(pumice.torch.load_pack(path))
network, (x, labels) = model().to(device), [one.to(device) for one in inputs()]
if what == "infer":
    with torch.no_grad():
        result = network(x)
elif what == "train":
    result = torch.stack([train(network, x, labels).cpu() for _ in range(2)])
else:
    result = torch.sinh(x)
torch.vk.synchronize(device)
print(json.dumps({
    "result": result.cpu().tolist(), "compilations": torch.vk.compilations(), "fallbacks": torch.vk.fallbacks(), "said": said,
    "imported": [name for name in ("triton", "torch._inductor") if name in sys.modules],
    "compiler": any("libpumice-compiler" in line for line in open("/proc/self/maps")),
    "plans": os.path.exists(os.path.join(os.environ["PUMICE_CACHE_DIR"], "plans"))}), flush=True)
os._exit(0)  # the thread that computes gradients may abort a process that ends, with packs and without
"""


def use(device, what, path="", variable=""):
    """Uses a pack in a new process. Returns what that process says."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PUMICE_CACHE_DIR": cache, "PUMICE_VK_PACKS": variable, "XDG_CACHE_HOME": cache,
                       "TRITON_CACHE_DIR": cache, "TORCHINDUCTOR_CACHE_DIR": cache}
        del environment["PUMICE_VK_PLANS"]
        ran = subprocess.run([sys.executable, "-c", USE, device, path, what], env=environment, capture_output=True, text=True)
    if ran.returncode:
        raise AssertionError(ran.stderr)
    return json.loads(ran.stdout)


def changed(path, name, change):
    """Returns a copy of a pack in which some files are different. `change` takes and returns their bytes."""
    made = pathlib.Path(FOLDER.name, f"changed-{len(list(pathlib.Path(FOLDER.name).iterdir()))}.pack")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(made, "w") as after:
        for one in before.namelist():
            data = before.read(one)
            after.writestr(one, change(data) if name in one else data)
    return str(made)


def with_description(path, **values):
    """Returns a copy of a pack with another description."""
    return changed(path, "pack.json", lambda data: json.dumps(json.loads(data) | values).encode())


class PackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.packs = {}
        for number in range(len(DEVICES)):
            with torch.vk.device(number):
                for what in ("infer", "train", "sinh"):
                    path = cls.packs[number, what] = os.path.join(FOLDER.name, f"{number}-{what}.pack")
                    x, labels = inputs()
                    if what == "infer":
                        pumice.torch.pack(model(), (x,), path)
                    elif what == "train":
                        network = model().to("vk")
                        pumice.torch.pack(lambda x, labels: [train(network, x, labels) for _ in range(2)], (x, labels), path)
                    else:
                        pumice.torch.pack(torch.sinh, x, path)

    def says(self, path):
        """Loads a pack that cannot be used, and returns the warning."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertFalse(pumice.torch.load_pack(path))
        (one,) = said
        self.assertIn(str(path), str(one.message))
        self.assertIn("operators are compiled as without it", str(one.message))
        return str(one.message)


class Using(PackTest):
    def test_a_new_process_compiles_nothing(self):
        x, labels = inputs()
        with torch.no_grad():
            expected = {"infer": model()(x)}
        network = model()
        expected["train"] = torch.stack([train(network, x, labels) for _ in range(2)])
        for (number, what), path in self.packs.items():
            if what == "sinh":
                continue
            with self.subTest(device=DEVICES[number], what=what):
                given = {"path": path} if what == "infer" else {"variable": path}
                made = use(f"vk:{number}", what, **given)
                torch.testing.assert_close(torch.tensor(made.pop("result")), expected[what])
                imported = made.pop("imported")
                if what == "infer":  # PyTorch's optimizers import inductor, also on the CPU
                    self.assertEqual(imported, [])
                self.assertEqual(made, {"compilations": 0, "fallbacks": {}, "said": [True] * ("path" in given),
                                        "compiler": False, "plans": False})

    def test_without_a_pack_the_same_process_compiles(self):
        made = use("vk:0", "sinh")
        self.assertEqual(made["compilations"], 1)
        self.assertEqual(made["imported"], ["triton", "torch._inductor"])
        self.assertTrue(made["compiler"])

    def test_damaged_plans_are_compiled_as_without_the_pack(self):
        def sealed(data):
            return file.with_checksum(data[data.index(b"\n") + 1:])

        good = self.packs[0, "sinh"]
        with zipfile.ZipFile(good) as opened:
            (name,) = (one for one in opened.namelist() if one.startswith("plans/0/sinh"))
            info = opened.getinfo(name)
        start = info.header_offset + 30 + len(name)
        flipped = bytearray(pathlib.Path(good).read_bytes())
        flipped[start + 40] ^= 0xff
        crc = pathlib.Path(FOLDER.name, "crc.pack")
        crc.write_bytes(flipped)
        bad = [str(crc),
               changed(good, "plans/", lambda data: b"no plan"),
               changed(good, "plans/", lambda data: data.replace(b"\ntensors ", b"\ntensors 1")),
               changed(good, "plans/", lambda data: sealed(data.replace(b"\ntensors ", b"\ntensors 4000000000 "))),
               changed(good, "plans/", lambda data: sealed(data.replace(b"\nkernels ", b"\nkernels 4000000000 "))),
               changed(good, "plans/", lambda data: sealed(data[:-500])),
               changed(good, "plans/", lambda data: sealed(data[:data.index(b"\ncode\n") + 6] + bytes(len(data))))]
        made = use("vk:0", "sinh", variable=os.pathsep.join(bad))
        torch.testing.assert_close(torch.tensor(made["result"]), torch.sinh(inputs()[0]))
        self.assertEqual(made["compilations"], 1)
        for path in bad:
            self.assertEqual(sum(f"the pack {path} " in one for one in made["said"]), 1, (path, made["said"]))
        # The next pack has the plan.
        made = use("vk:0", "sinh", variable=os.pathsep.join([bad[1], good]))
        self.assertEqual(made["compilations"], 0)


class Mismatches(PackTest):
    def test_packs_for_others(self):
        good = self.packs[0, "infer"]
        for key, value in (("torch", "2.0"), ("pumice", "9.9.9"), ("build", "0123456789abcdef"), ("format", 7)):
            said = self.says(with_description(good, **{key: value}))
            self.assertRegex(said, "expected .* got")
            self.assertIn(str(value), said)
            self.assertIn(str(packs.maker().get(key, packs.FORMAT)), said)

    def test_damaged_files(self):
        good = self.packs[0, "infer"]
        data = pathlib.Path(good).read_bytes()
        other = pathlib.Path(FOLDER.name, "other.pack")
        for part in (b"", b"no zip", data[:-40], data[len(data) // 2:]):
            other.write_bytes(part)
            self.assertIn("expected a pack, got a file that cannot be read", self.says(other))
        self.assertIn("FileNotFoundError", self.says(os.path.join(FOLDER.name, "missing.pack")))
        for text in (b"[]", b"{", b"\xff", b"7"):
            self.says(changed(good, "pack.json", lambda data, text=text: text))
        for targets in (None, [1], [{"name": "x"}], [{"name": "x", "kind": 1, "architecture": ""}]):
            self.assertIn("no list of targets", self.says(with_description(good, targets=targets)))

    def test_large_files_are_not_read(self):
        with unittest.mock.patch.object(packs, "_MOST_BYTES", 10):
            self.assertIn("and the limit is 10", self.says(self.packs[0, "infer"]))
        with unittest.mock.patch.object(packs, "_MOST_FILES", 1):
            self.assertIn("more than 1 files", self.says(self.packs[0, "infer"]))

    def test_devices_without_a_target(self):
        opened = packs.Pack(self.packs[0, "infer"])
        self.assertEqual(opened.target_for(0), 0)
        for target in opened.targets:
            target["kind"] = "metal"
        opened.target_for.cache_clear()
        with self.assertWarnsRegex(UserWarning, f"expected a device like one of its targets .*got {DEVICES[0]}"):
            self.assertIsNone(opened.target_for(0))


class Making(PackTest):
    def test_kernels_for_other_targets(self):
        path = os.path.join(FOLDER.name, "several.pack")
        about = pumice.torch.pack(torch.sinh, (inputs()[0],), path, targets=["rdna3", "x86-64-v2"])
        self.assertEqual([target["name"] for target in about["targets"]][1:], ["rdna3", "x86-64-v2"])
        with zipfile.ZipFile(path) as opened:
            self.assertEqual(json.loads(opened.read("pack.json")), about)
            plans = sorted(name for name in opened.namelist() if "/sinh" in name)
            self.assertEqual([name.split("/")[1] for name in plans], ["0", "1", "2"])
            self.assertEqual(len({opened.read(name) for name in plans}), 3)
        if DEVICES[0] == "cpu":
            self.assertEqual(packs.Pack(path).target_for(0), 0)
            # Without the description of this machine, it takes the target with a name whose kernels load.
            for change in ({"kind": "vulkan"}, {"architecture": "x86-64-v2"}):
                opened = packs.Pack(path)
                opened.targets[0] |= change
                self.assertEqual(opened.target_for(0), 2)
            self.assertEqual(use("vk:0", "sinh", path)["compilations"], 0)

    def test_targets_that_cannot_be_made(self):
        for target, why in (("vulkan1.0", "vulkan1.0"), ("no-such-gpu", "is not the name of a target")):
            with self.assertRaisesRegex(ValueError, f"got '{target}'.*{why}"):
                x = torch.arange(4, dtype=torch.int64)
                pumice.torch.pack(torch.abs, (x,), os.path.join(FOLDER.name, "none.pack"), targets=[target])
        self.assertFalse(os.path.exists(os.path.join(FOLDER.name, "none.pack")))

    def test_models_and_gradients_stay_as_they_were(self):
        network = model()
        before = [one.clone() for one in network.parameters()]
        path = os.path.join(FOLDER.name, "backward.pack")
        about = pumice.torch.pack(network, {"input": inputs()[0]}, path, backward=True)
        self.assertTrue(about["backward"])
        with zipfile.ZipFile(path) as opened:
            self.assertTrue(any("gelu_backward" in name for name in opened.namelist()))
        for one, other in zip(network.parameters(), before):
            self.assertEqual(one.device.type, "cpu")
            self.assertIsNone(one.grad)
            self.assertTrue(torch.equal(one, other))

    def test_wrong_requests(self):
        path = os.path.join(FOLDER.name, "none.pack")
        with self.assertRaisesRegex(RuntimeError, "no operator on vk by a plan"):
            pumice.torch.pack(lambda x: None, inputs()[0], path)
        with self.assertRaisesRegex(ValueError, "expected results with gradients"):
            pumice.torch.pack(torch.sinh, inputs()[0], path, backward=True)
        with unittest.mock.patch.dict(os.environ, PUMICE_VK_PLANS="0"), self.assertRaisesRegex(RuntimeError, "unset it"):
            pumice.torch.pack(model(), inputs()[0], path)
        self.assertFalse(os.path.exists(path))

    def test_plans_keep_the_texts_of_kernels(self):
        (path,) = list(pathlib.Path(FOLDER.name).glob("*/*/sinh*/*.plan"))[:1]
        data = path.read_bytes()
        body = data[data.index(b"\ntensors "):]
        (kernel,) = file.kernels_of(body)
        self.assertIn("tt.func", kernel.text)
        other = file.with_codes(body, [b"12345"])
        self.assertTrue(other.endswith(b"\ncode\n12345"))
        self.assertIn(f"kernel {kernel.name} 5\n".encode(), other)


if __name__ == "__main__":
    unittest.main()
