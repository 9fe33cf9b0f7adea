"""torch.distributed with tensors of vk: collectives, transfers, groups, training in parallel, and errors.

    PYTHONPATH=... PUMICE_TEST_DEVICES=cpu,vulkan:0 python python/test/test_vk_distributed.py

Each test runs a function of this file (`case_…`) in two processes, which meet on the loopback device. Operators run on
the CPU, unless a test is about their order: plans are tested elsewhere, and take seconds to compile.
"""
import datetime
import os
import socket
import subprocess
import sys
import time
import unittest
import warnings

DEVICES = os.environ.get("PUMICE_TEST_DEVICES", "cpu").split(",")
os.environ.setdefault("PUMICE_VK", "1")

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not hasattr(torch, "vk") or not torch.distributed.is_gloo_available():
    print("skipped: there is no library of vk or no gloo for this PyTorch")
    sys.exit(77)

import torch.distributed as dist
from torch import nn
from torch.nn import functional

Op = dist.ReduceOp
SIZE = 2


def same(ours, theirs):
    assert ours.device.type == "vk", ours.device
    ours = ours.cpu()
    assert ours.dtype == theirs.dtype and torch.equal(ours, theirs), f"{ours} is not {theirs}"


def raises(kind, pattern, call):
    """Checks that a call raises an error whose text has `pattern`."""
    try:
        call()
    except kind as error:
        assert pattern in str(error), f"{pattern!r} is not in {str(error)!r}"
    else:
        raise AssertionError(f"no error with {pattern!r}")


# ---- What one process runs. All processes have `given(rank)` of each other.


def given(rank, dtype=torch.float32):
    return torch.tensor([1, 2, 3, 4, 5, 6]).add(rank).to(dtype)


def reduced(op, dtype):
    """Returns what a reduction gives, by exact arithmetic."""
    rows = torch.stack([given(rank, torch.int64) for rank in range(SIZE)])
    if op == Op.AVG:
        return (rows.double().mean(0) if dtype.is_floating_point else rows.sum(0) // SIZE).to(dtype)
    bits = {Op.BAND: torch.bitwise_and, Op.BOR: torch.bitwise_or, Op.BXOR: torch.bitwise_xor}
    for kind, function in bits.items():
        if op == kind:
            return function(rows[0], rows[1]).to(dtype)
    whole = {Op.SUM: rows.sum(0), Op.PRODUCT: rows.prod(0), Op.MIN: rows.amin(0), Op.MAX: rows.amax(0)}
    return next(value for kind, value in whole.items() if op == kind).to(dtype)


def case_reductions(rank, vk):
    floats = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
    integers = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
    for dtype in floats + integers:
        for op in [Op.SUM, Op.AVG, Op.PRODUCT, Op.MIN, Op.MAX] + (
                [Op.BAND, Op.BOR, Op.BXOR] if dtype in integers else []):
            x = given(rank, dtype).to(vk)
            dist.all_reduce(x, op)
            same(x, reduced(op, dtype))
            part = torch.empty(3, dtype=dtype, device=vk)
            dist.reduce_scatter_tensor(part, given(rank, dtype).to(vk), op)
            same(part, reduced(op, dtype)[3 * rank:][:3])
    x = given(rank).to(vk)
    dist.reduce(x, 1)
    same(x, reduced(Op.SUM, torch.float32) if rank == 1 else given(rank))
    part = torch.empty(3, device=vk)
    dist.reduce_scatter(part, list(given(rank).to(vk).chunk(2)))
    same(part, reduced(Op.SUM, torch.float32)[3 * rank:][:3])
    x = given(rank).to(vk) > 3
    dist.all_reduce(x)
    same(x, given(1) > 3)
    x = torch.complex(given(rank), given(rank)).to(vk)
    dist.all_reduce(x)
    same(x, torch.complex(given(0) + given(1), given(0) + given(1)))
    x = given(rank).to(vk)
    dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
    same(x, (given(0) + given(1)) / 2)


def case_layouts(rank, vk):
    x = (torch.arange(12.0).view(3, 4) + rank).to(vk)
    dist.all_reduce(x.t())
    same(x, torch.arange(12.0).view(3, 4) * 2 + 1)
    dist.broadcast(x[:, 1].mul_(rank + 1), 1)
    same(x[:, 1].clone(), torch.tensor([6.0, 22, 38]))
    images = torch.arange(120.0).view(2, 3, 4, 5).to(vk)
    if rank == 1:  # Processes may have different layouts.
        images = images.to(memory_format=torch.channels_last)
    dist.all_reduce(images)
    same(images.contiguous(), torch.arange(120.0).view(2, 3, 4, 5) * 2)
    for empty in (torch.empty(0, device=vk), torch.empty(0, 3, device=vk)):
        dist.all_reduce(empty)
        dist.broadcast(empty, 0)
        dist.all_gather([torch.empty_like(empty), torch.empty_like(empty)], empty)
    scalar = torch.tensor(1.5, device=vk)
    dist.all_reduce(scalar)
    same(scalar, torch.tensor(3.0))
    # The version of a tensor counts changes in place, and autograd must not see one by another thread.
    x = torch.ones(3, device=vk)
    version = x._version
    dist.all_reduce(x)
    assert x._version == version


def case_movements(rank, vk):
    for dtype in (torch.float32, torch.int16, torch.bool, torch.complex64, torch.float8_e5m2):
        x = given(rank, dtype).to(vk)
        sent = [given(0, dtype), given(1, dtype)]
        received = x.clone()
        dist.broadcast(received, 1)
        same(received.view(torch.uint8), sent[1].view(torch.uint8))
        parts = [torch.empty_like(x) for _ in range(SIZE)]
        dist.all_gather(parts, x)
        for part, expected in zip(parts, sent):
            same(part.view(torch.uint8), expected.view(torch.uint8))
    x = given(rank).to(vk)
    sent = [given(0), given(1)]
    whole = torch.empty(12, device=vk)
    dist.all_gather_into_tensor(whole, x)
    same(whole, torch.cat(sent))
    parts = [torch.empty_like(x) for _ in range(SIZE)] if rank == 0 else None
    dist.gather(x, parts, 0)
    if rank == 0:
        same(torch.stack(parts), torch.stack(sent))
    part = torch.empty(3, device=vk)
    dist.scatter(part, list(x.chunk(2)) if rank == 1 else None, 1)
    same(part, given(1)[3 * rank:][:3])
    moved = torch.empty_like(x)
    dist.all_to_all_single(moved, x)
    same(moved, torch.cat([one[3 * rank:][:3] for one in sent]))
    rows = given(rank).to(vk).view(3, 2)
    splits = [1, 2]
    moved = torch.empty(2 * splits[rank], 2, device=vk)
    dist.all_to_all_single(moved, rows, [splits[rank]] * 2, splits)
    same(moved, torch.cat([one.view(3, 2)[rank:2 * rank + 1] for one in sent]))
    parts = [torch.empty(3, device=vk) for _ in range(SIZE)]
    dist.all_to_all(parts, list(x.chunk(2)))
    same(torch.cat(parts), torch.cat([one[3 * rank:][:3] for one in sent]))
    with dist._coalescing_manager():
        several = [x.clone(), x * 2]
        for one in several:
            dist.all_reduce(one)
    same(several[1], 2 * (sent[0] + sent[1]))
    with dist._coalescing_manager(async_ops=True) as manager:
        wholes = [torch.empty(12, device=vk) for _ in range(2)]
        for one in wholes:
            dist.all_gather_into_tensor(one, x)
    manager.wait()
    same(wholes[1], torch.cat(sent))


def case_transfers(rank, vk):
    peer = 1 - rank
    x, received = given(rank).to(vk), torch.empty(6, device=vk)
    if rank == 0:
        dist.send(x, 1)
    else:
        assert dist.recv(received) == 0
        same(received, given(0))
    # The second receive ends first, and the process waits for it first.
    first, second = torch.empty(6, device=vk), torch.empty(6, device=vk)
    works = [dist.irecv(first, peer, tag=1), dist.irecv(second, peer, tag=2)]
    dist.isend(x, peer, tag=2)
    works[1].wait()
    same(second, given(peer))
    dist.send(x, peer, tag=1)
    works[0].wait()
    same(first, given(peer))
    received.zero_()
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, peer), dist.P2POp(dist.irecv, received, peer)]):
        work.wait()
    same(received, given(peer))
    # A receive that is under way lets collectives pass.
    work = dist.irecv(received, peer)
    dist.all_reduce(torch.ones(2, device=vk))
    dist.send(x * 2, peer)
    work.wait()
    same(received, given(peer) * 2)


def case_objects_and_groups(rank, vk):
    everyone = [None] * SIZE
    dist.all_gather_object(everyone, {"rank": rank})
    assert everyone == [{"rank": 0}, {"rank": 1}], everyone
    objects = [rank, "text"]
    dist.broadcast_object_list(objects, 1)
    assert objects == [1, "text"], objects
    dist.barrier()
    alone = [dist.new_group([0]), dist.new_group([1])]
    x = given(rank).to(vk)
    dist.all_reduce(x, group=alone[rank])
    same(x, given(rank))
    mesh = dist.init_device_mesh("vk", (SIZE,), mesh_dim_names=("all",))
    x = given(rank).to(vk)
    dist.all_reduce(x, group=mesh.get_group("all"))
    same(x, given(0) + given(1))
    from torch.distributed import _functional_collectives as functional_collectives
    for op, expected in (("sum", given(0) + given(1)), ("avg", (given(0) + given(1)) / 2)):
        same(functional_collectives.all_reduce(given(rank).to(vk), op, mesh) + 0, expected)
    same(functional_collectives.all_gather_tensor(given(rank).to(vk), 0, mesh) + 0, torch.cat([given(0), given(1)]))


def case_order(rank, vk):
    """Collectives read what earlier kernels wrote, and later kernels read what collectives wrote."""
    x = torch.zeros(1 << 20, device=vk)
    for step in range(8):
        for _ in range(16):
            x.add_(1)
        work = dist.all_reduce(x, async_op=True)
        other = torch.ones(1 << 10, device=vk).mul(3)
        if step % 2:
            x = work.get_future().then(lambda future: future.value()[0].mul(0.5)).wait()
        else:
            work.wait()
            x.mul_(0.5)
        same(other, torch.full((1 << 10,), 3.0))
    same(x, torch.full((1 << 20,), 128.0))
    stream = torch.Stream(device=vk)
    with torch.vk.stream(stream):
        y = torch.full((1 << 20,), float(rank), device=vk)
        y.add_(1)
        dist.all_reduce(y)
        y.add_(1)
    stream.synchronize()
    same(y, torch.full((1 << 20,), 4.0))
    many = [torch.full((100,), float(i), device=vk) for i in range(40)]
    works = [dist.all_reduce(one, async_op=True) for one in many]
    for work in works:
        work.wait()
    same(torch.stack(many)[:, 0].clone(), torch.arange(40.0) * 2)
    del works, work, many  # without a wait for the last ones
    dist.all_reduce(torch.ones(1 << 18, device=vk), async_op=True)


class Network(nn.Module):
    def __init__(self, has_unused=False):
        super().__init__()
        self.first, self.last = nn.Linear(8, 32), nn.Linear(32, 4)
        self.unused = nn.Linear(2, 2) if has_unused else None

    def forward(self, x):
        return self.last(functional.relu(self.first(x)))


def batch(rank, step):
    generator = torch.Generator().manual_seed(2 * step + rank)
    return torch.randn(8, 8, generator=generator), torch.randint(0, 4, (8,), generator=generator)


def made(*arguments):
    torch.manual_seed(0)
    return Network(*arguments)


def trained(network, rank, vk=None):
    """Trains with the batches of one process, or of all processes without `vk`."""
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.01)
    for step in range(3):
        optimizer.zero_grad()
        for one in [rank] if vk else range(SIZE):
            x, labels = batch(one, step)
            loss = functional.cross_entropy(network(x.to(vk or "cpu")).float(), labels.to(vk or "cpu"))
            (loss if vk else loss / SIZE).backward()
        optimizer.step()
    return optimizer


def check_trained(parameters, tolerance=1e-5):
    expected = made()
    trained(expected, 0)
    ours = {name: one.full_tensor() if hasattr(one, "full_tensor") else one for name, one in parameters}
    for name, one in expected.named_parameters():
        torch.testing.assert_close(ours[name].detach().cpu(), one.detach(), atol=tolerance, rtol=tolerance)


def case_data_parallel(rank, vk):
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
    from torch.distributed.optim import ZeroRedundancyOptimizer
    parallel = nn.parallel.DistributedDataParallel
    for options in ({}, {"gradient_as_bucket_view": True}, {"bucket_cap_mb": 0.001}, {"find_unused_parameters": True}):
        network = parallel(made("find_unused_parameters" in options).to(vk), **options)
        trained(network, rank, vk)
        check_trained(network.module.named_parameters())
    for hook, tolerance in ((default_hooks.allreduce_hook, 1e-5), (default_hooks.bf16_compress_hook, 2e-2)):
        network = parallel(made().to(vk))
        network.register_comm_hook(None, hook)
        trained(network, rank, vk)
        check_trained(network.module.named_parameters(), tolerance)
    network = parallel(made().to(vk))
    x, labels = batch(rank, 0)
    with network.no_sync():
        functional.cross_entropy(network(x.to(vk)), labels.to(vk)).backward()
    gathered = [None] * SIZE
    dist.all_gather_object(gathered, network.module.last.bias.grad.cpu())
    assert not torch.equal(*gathered)
    functional.cross_entropy(network(x.to(vk)), labels.to(vk)).backward()
    dist.all_gather_object(gathered, network.module.last.bias.grad.cpu())
    assert torch.equal(*gathered)
    optimizer = ZeroRedundancyOptimizer(network.parameters(), torch.optim.AdamW, lr=0.01)
    optimizer.step()


def case_batch_norm(rank, vk):
    """Batch norms over all processes equal those of one process with all elements."""
    for dtype, tolerance in ((torch.float32, 1e-5), (torch.bfloat16, 3e-2)):
        torch.manual_seed(0)
        x, slopes = torch.randn(6, 3, 4, dtype=dtype), torch.randn(6, 3, 4, dtype=dtype)
        expected = nn.BatchNorm1d(3)
        nn.init.normal_(expected.weight)
        ours = nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1d(3))
        ours.load_state_dict(expected.state_dict())
        ours.to(vk)
        part = slice(0, 2) if rank == 0 else slice(2, 6)
        mine, whole = x[part].to(vk).requires_grad_(), x.float().requires_grad_()
        theirs, result = expected(whole), ours(mine)
        theirs.backward(slopes.float())
        result.backward(slopes[part].to(vk))
        sums = [ours.weight.grad.clone(), ours.bias.grad.clone()]
        for one in sums:
            dist.all_reduce(one)
        for one, other in ((result, theirs[part]), (mine.grad, whole.grad[part]), (sums[0], expected.weight.grad),
                           (sums[1], expected.bias.grad), (ours.running_mean, expected.running_mean),
                           (ours.running_var, expected.running_var)):
            torch.testing.assert_close(one.detach().cpu().float(), other.detach(), atol=tolerance, rtol=tolerance)


def case_sharded(rank, vk):
    from torch.distributed import checkpoint
    from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    mesh = dist.init_device_mesh("vk", (SIZE,))
    half = {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)}
    for device, options, tolerance in ((vk, {}, 1e-5), ("cpu", {}, 1e-5), (vk, half, 3e-2)):
        network = made().to(device)  # fully_shard moves it from the CPU
        fully_shard(network.first, mesh=mesh, **options)
        fully_shard(network, mesh=mesh, **options)
        optimizer = trained(network, rank, vk)
        check_trained(network.named_parameters(), tolerance)
    folder = os.environ["PUMICE_TEST_FOLDER"]
    states = get_state_dict(network, optimizer)
    checkpoint.save(dict(zip(("model", "optimizer"), states)), checkpoint_id=folder)
    torch.manual_seed(1)
    other = fully_shard(Network().to(vk), mesh=mesh)
    others = torch.optim.AdamW(other.parameters(), lr=0.01)
    loaded = get_state_dict(other, others)
    checkpoint.load(dict(zip(("model", "optimizer"), loaded)), checkpoint_id=folder)
    set_state_dict(other, others, model_state_dict=loaded[0], optim_state_dict=loaded[1])
    for one, expected in zip(other.parameters(), network.parameters()):
        same(one.full_tensor(), expected.full_tensor().cpu())


def case_tensor_parallel(rank, vk):
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
    from torch.distributed.tensor import randn as random_tensor
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
    mesh = dist.init_device_mesh("vk", (SIZE,))
    expected, network = made(), parallelize_module(
        made().to(vk), mesh, {"first": ColwiseParallel(), "last": RowwiseParallel()})
    x = batch(0, 0)[0]
    ours, theirs = network(x.to(vk)), expected(x)
    torch.testing.assert_close(ours.detach().cpu(), theirs.detach())
    ours.square().sum().backward()
    theirs.square().sum().backward()
    for one, other in zip(network.parameters(), expected.parameters()):
        torch.testing.assert_close(one.grad.full_tensor().cpu(), other.grad)
    square = torch.arange(64.0).view(8, 8)
    columns = distribute_tensor(square.to(vk), mesh, [Shard(1)])
    same(columns.redistribute(mesh, [Shard(0)]).to_local(), square[4 * rank:][:4])
    same((columns @ columns).redistribute(mesh, [Replicate()]).to_local(), square @ square)
    numbers = random_tensor(8, 8, device_mesh=mesh, placements=[Shard(0)]).full_tensor().cpu()
    assert not torch.equal(numbers[:4], numbers[4:])


def case_errors(rank, vk):
    x = torch.ones(4, device=vk)
    if rank == 0:  # The checks come before anything is sent.
        other = torch.empty(4, device=torch.device("vk", 1))
        raises(ValueError, "tensors of one device, got vk:0 and cpu", lambda: dist.all_gather([torch.ones(4)] * 2, x))
        raises(ValueError, "got vk:0 and vk:1", lambda: dist.all_gather([other, other], x))
        raises(ValueError, "of one type and size", lambda: dist.all_gather([torch.empty(3, device=vk)] * 2, x))
        raises(ValueError, "expects 2 output tensors", lambda: dist.all_gather([torch.empty(4, device=vk)] * 3, x))
        raises(ValueError, "2 times the elements", lambda: dist.all_gather_into_tensor(x.clone(), x))
        raises(ValueError, "2 times the output's 4", lambda: dist.reduce_scatter_tensor(x.clone(), x))
        raises(ValueError, "that 2 divides, got 3", lambda: dist.all_to_all_single(x[:3].clone(), x[:3].clone()))
        raises(ValueError, "sum up to 4, got [1, 1]", lambda: dist.all_to_all_single(x.clone(), x, [1, 1], [2, 2]))
        raises(TypeError, "has no ReduceOp.BAND for Float", lambda: dist.all_reduce(x, Op.BAND))
        raises(TypeError, "has no ReduceOp.AVG for Bool", lambda: dist.all_reduce(x > 0, Op.AVG))
        raises(ValueError, "a process from 0 to 1, got 5", lambda: dist.send(x, 5))
        raises(NotImplementedError, "dense tensors", lambda: dist.all_reduce(torch.eye(3).to_sparse()))
        work = dist.irecv(x.clone(), 1)
        raises(RuntimeError, "timed out", lambda: work.wait(datetime.timedelta(milliseconds=200)))
    dist.barrier()
    if rank == 1:
        os._exit(0)
    begin = time.monotonic()
    for call in (lambda: dist.all_reduce(x), lambda: dist.recv(x, 1), dist.barrier,
                 lambda: dist.all_reduce(x, async_op=True).get_future().wait()):
        raises(dist.DistBackendError, "of vk failed", call)
    assert time.monotonic() - begin < 20


def case_timeout(rank, vk):
    """The other process is alive, but does not come."""
    store = dist.distributed_c10d._get_default_store()
    if rank == 0:
        begin = time.monotonic()
        raises(dist.DistBackendError, "all_reduce of vk failed", lambda: dist.all_reduce(torch.ones(4, device=vk)))
        assert time.monotonic() - begin < 15
        store.set("ended", "1")
    else:
        store.wait(["ended"], datetime.timedelta(seconds=60))


def case_names(rank, vk):
    """Checks a group that was asked for by any of its names."""
    cpu = torch.full((3,), float(rank))
    dist.all_reduce(cpu)
    assert torch.equal(cpu, torch.ones(3))
    x = torch.full((3,), float(rank), device=vk)
    dist.all_reduce(x)
    same(x, torch.ones(3))
    assert dist.group.WORLD._get_backend(vk).name() == "pumice"
    dist.barrier()
    everyone = [None] * SIZE
    dist.all_gather_object(everyone, rank)
    assert everyone == [0, 1]
    from torch.distributed import _functional_collectives as functional_collectives
    for group in (dist.group.WORLD, dist.new_group([0, 1])):
        assert group.group_name
        same(functional_collectives.all_reduce(x, "sum", group) + 0, torch.full((3,), 2.0))


def run_cases(names, groups):
    """Runs cases in each of several groups, which are given by a port and arguments of init_process_group."""
    rank = int(os.environ["RANK"])
    vk = torch.device("vk", rank % torch.vk.device_count())
    torch.vk.set_device(vk)
    timeout = datetime.timedelta(seconds=float(os.environ.get("PUMICE_TEST_TIMEOUT", "60")))
    for port, options in groups:
        os.environ["MASTER_PORT"] = port or os.environ["MASTER_PORT"]
        print("group", options, flush=True)
        dist.init_process_group(timeout=timeout, **{key: vk if one == "device" else one for key, one in options.items()})
        for name in names:
            print("case", name, flush=True)
            globals()[f"case_{name}"](rank, vk)
        dist.destroy_process_group()
    print("right", flush=True)


# ---- The tests, which start the processes.


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Distributed(unittest.TestCase):
    def start(self, rank, port, command, devices="cpu,cpu", **variables):
        environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "RANK": str(rank),
                       "LOCAL_RANK": str(rank), "WORLD_SIZE": str(SIZE), "PUMICE_VK_DEVICES": devices,
                       "PUMICE_VK_PLANS": "0", "OMP_NUM_THREADS": "1", **variables}
        return subprocess.Popen([sys.executable, *command], env=environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def finish(self, processes, last=lambda rank: "right"):
        try:
            outputs = [process.communicate(timeout=120)[0] for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.communicate()
        for rank, (process, output) in enumerate(zip(processes, outputs)):
            self.assertEqual(process.returncode, 0, f"process {rank}:\n{output}")
            if expected := last(rank):
                self.assertIn(expected, output, f"process {rank}")

    def check(self, *names, groups=({},), last=lambda rank: "right", **variables):
        groups = [(str(free_port()), options) for options in groups]
        command = [__file__, "--cases", ",".join(names), repr(groups)]
        self.finish([self.start(rank, groups[0][0], command, **variables) for rank in range(SIZE)], last)

    def test_collectives(self):
        self.check("reductions", "layouts", "movements", "transfers", "objects_and_groups")

    def test_data_parallel(self):
        self.check("data_parallel", "batch_norm")

    def test_sharded(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            self.check("sharded", PUMICE_TEST_FOLDER=folder)

    def test_tensor_parallel(self):
        self.check("tensor_parallel")

    def test_errors(self):
        self.check("errors", groups=[{"backend": "pumice"}], last=lambda rank: "" if rank == 1 else "right",
                   PUMICE_TEST_TIMEOUT="5")

    def test_timeouts(self):
        self.check("timeout", groups=[{"backend": "pumice"}], PUMICE_TEST_TIMEOUT="3")

    def test_names_of_groups(self):
        self.check("names", groups=[{}, {"backend": "gloo"}, {"backend": "pumice"}, {"device_id": "device"},
                                    {"backend": "cpu:gloo,vk:vk"}])

    def test_detailed_checks(self):
        self.check("names", groups=[{"backend": "vk"}], TORCH_DISTRIBUTED_DEBUG="DETAIL")

    def test_order(self):
        for device in DEVICES:
            with self.subTest(device=device):
                self.check("order", devices=device, PUMICE_VK_PLANS=os.environ.get("PUMICE_TEST_PLANS", ""))

    def test_gpus_by_copies(self):
        for device in DEVICES:
            if device.startswith("vulkan"):
                with self.subTest(device=device):
                    self.check("movements", devices=device)

    def test_hosts(self):
        """Two launchers, as on two hosts, start one process each."""
        port = free_port()
        command = ["-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1", "--master-addr", "127.0.0.1",
                   "--master-port", str(port)]
        self.finish([self.start(rank, port, [*command, "--node-rank", str(rank), __file__, "--cases", "transfers", "[('', {})]"])
                     for rank in range(SIZE)])

    def test_ranks_without_vk(self):
        """A group of gloo works if some processes know nothing of vk."""
        script = ("import torch, torch.distributed as d; d.init_process_group('gloo'); x = torch.ones(2); "
                  "d.all_reduce(x); print('right' if x.tolist() == [2, 2] else x, hasattr(torch, 'vk')); "
                  "d.destroy_process_group()")
        port = free_port()
        self.finish([self.start(rank, port, ["-c", script], PUMICE_VK=str(1 - rank)) for rank in range(SIZE)],
                    lambda rank: f"right {rank == 0}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--cases"]:
        warnings.simplefilter("ignore", FutureWarning)
        import ast
        run_cases(sys.argv[2].split(","), ast.literal_eval(sys.argv[3]))
    else:
        unittest.main()
