"""With the real PyTorch: chains under a byte budget have the bits of plain training, within the planned bytes. Bytes are counted by
the allocator over the whole step; parameters and their gradients are not counted."""

import copy
import gc
import pickle
import tempfile
import unittest
import unittest.mock
import weakref

import ckpt
from torch_steps import measured, same_bits, smallest

import torch
import torch.nn.functional as F
from torch import nn
from ckpt import _torch_measure, torch as ckpt_torch


class Block(nn.Module):
    """A transformer block; lean recomputes its norms and GELU in its backward."""

    def __init__(self, width, heads, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, again=lambda function, *values: function(*values)):
        batch, length, width = x.shape
        qkv = self.qkv(again(self.norms[0], x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        weights = self.dropout(torch.softmax(q @ k.transpose(-1, -2) / (width // self.heads) ** 0.5, -1))
        x = x + self.dropout(self.out((weights @ v).transpose(1, 2).reshape(batch, length, width)))
        return x + self.dropout(self.down(again(F.gelu, self.up(again(self.norms[1], x)))))

    def lean(self, x):
        with ckpt_torch.recomputing() as again:
            return self.forward(x, again)


class Tied(nn.Module):
    """Shares the embedding's weight: a parameter of two layers."""

    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def forward(self, x):
        return x @ self.weight.t()


class Fork(nn.Module):
    """Two outputs, the second of which the next layer adds to its own."""

    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x, skip=None):
        y = torch.tanh(self.linear(x))
        return y if skip is not None and skip.shape != y.shape else (y + skip if skip is not None else y, x * 2)


class Counted(nn.Module):
    runs = 0

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *values):
        Counted.runs += 1
        return self.inner(*values)


def square(y):
    return (y * y).sum()


def linear_stack():
    return [nn.Linear(32, 32) for _ in range(12)] + [square], torch.randn(512, 32)


def transformer(blocks=12):
    torch.manual_seed(0)
    return [nn.Embedding(50, 32), *[Block(32, 4) for _ in range(blocks)], nn.LayerNorm(32), nn.Linear(32, 50),
            square], torch.randint(0, 50, (2, 32))


def vgg():
    layers, channels = [], 3
    for width, count in ((8, 2), (16, 2), (32, 3)):
        for _ in range(count):
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
            channels = width
        layers.append(nn.MaxPool2d(2))
    return [*layers, nn.Flatten(), nn.Linear(32 * 16, 10), square], torch.randn(4, 3, 32, 32)


def tied():
    embedding = nn.Embedding(50, 16)
    return [embedding, nn.Linear(16, 16), nn.Tanh(), Tied(embedding.weight), nn.Linear(50, 16), nn.ReLU(),
            Tied(embedding.weight), square], torch.randint(0, 50, (32, 64))


def tied_wide():
    """The gradient of a use of the weight is larger than all activations."""
    weight = nn.Parameter(torch.randn(128, 128) / 12)
    return [nn.Linear(128, 128), *[layer for _ in range(4) for layer in (Tied(weight), nn.Tanh())], square], torch.randn(8, 128)


def forks():
    return [nn.Linear(16, 16), Fork(16), Fork(16), Fork(16), Fork(16), lambda y, skip: square(y + skip)], torch.randn(1024, 16)


MODELS = {"linear": linear_stack, "transformer": transformer, "vgg": vgg, "tied": tied, "tied wide": tied_wide, "forks": forks}


def chain_of(layers):
    """Runs plain training."""
    def run(*values):
        for layer in layers:
            given = layer(*values)
            values = given if isinstance(given, tuple) else (given,)
        return given
    return run


def parts_of(layers):
    module = nn.ModuleList([layer for layer in layers if isinstance(layer, nn.Module)])
    return list(module.parameters()), list(module.buffers())


class Bits(unittest.TestCase):
    def check(self, layers, sample, share, steps=3, **more):
        plain = copy.deepcopy(layers)
        run, plain_run = ckpt_torch.budget(layers, sample, share), chain_of(plain)
        (mine, my_buffers), (theirs, their_buffers) = parts_of(layers), parts_of(plain)
        optimizers = [torch.optim.SGD(parameters, lr=1e-4, momentum=0.9) for parameters in (mine, theirs)]
        for step in range(steps):
            ends = []
            for function, optimizer in zip((run, plain_run), optimizers):
                torch.manual_seed(step)
                optimizer.zero_grad(set_to_none=step % 2 == 0)
                loss = function(sample)
                torch.rand(3)  # between forward and backward
                loss.backward()
                ends.append((loss.detach(), torch.get_rng_state()))
                if step % 2:
                    function(sample).backward()  # adds to the existing gradients
            self.assertTrue(same_bits(ends[0][0], ends[1][0]), "loss")
            self.assertTrue(same_bits(ends[0][1], ends[1][1]), "generator")
            for number, (left, right) in enumerate(zip(mine, theirs)):
                self.assertTrue(same_bits(left.grad, right.grad), f"gradient {number} of step {step}")
            for left, right in zip(my_buffers, their_buffers):
                self.assertTrue(same_bits(left, right), "buffer")
            for optimizer in optimizers:
                optimizer.step()
        return run

    def test_every_model(self):
        for name, make in MODELS.items():
            torch.manual_seed(1)
            layers, sample = make()
            least = smallest(layers, sample)
            keep_all = ckpt_torch.budget(layers, sample, 1.0).reports[0].peak_bytes[0]
            for budget in (1.0, (least + keep_all) // 2, least):
                with self.subTest(name, budget=budget):
                    run = self.check(copy.deepcopy(layers), sample, budget)
                    if budget == least:
                        self.assertGreater(run.reports[0].recomputed_forwards, 0)

    def test_an_input_with_a_gradient_and_hooks(self):
        layers, sample = linear_stack()
        plain = chain_of(copy.deepcopy(layers))
        run = ckpt_torch.budget(layers, sample.clone().requires_grad_(), "40%")
        mine, theirs = sample.clone().requires_grad_(), sample.clone().requires_grad_()
        calls = []
        layers[3].weight.register_hook(lambda gradient: calls.append(1) or gradient * 2)
        run(mine * 1.5).backward()
        plain(theirs * 1.5).backward()
        self.assertTrue(same_bits(mine.grad, theirs.grad))
        self.assertEqual(calls, [1])
        gradient, = torch.autograd.grad(run(mine), [layers[0].weight])
        self.assertTrue(same_bits(gradient, torch.autograd.grad(chain_of(layers)(mine), [layers[0].weight])[0]))

    def test_a_loss_outside_and_two_steps_at_once(self):
        layers, sample = transformer(3)
        plain = copy.deepcopy(layers)
        run, plain_run = ckpt_torch.budget(layers[:-1], sample, 0.6), chain_of(plain[:-1])
        for function in (run, plain_run):
            torch.manual_seed(3)
            first, second = function(sample), function(sample.flip(0))
            (F.cross_entropy(first.view(-1, 50), sample.view(-1)) + second.pow(2).mean()).backward()
        for left, right in zip(parts_of(layers)[0], parts_of(plain)[0]):
            self.assertTrue(same_bits(left.grad, right.grad))

    def test_frozen_and_leading_layers(self):
        layers, sample = linear_stack()
        for parameter in [*layers[0].parameters(), *layers[1].parameters(), *layers[5].parameters(), layers[6].weight]:
            parameter.requires_grad_(False)
        run = self.check(layers, sample, 0.6)
        self.assertEqual(run._plans[0].first, 2)
        for parameter in parts_of(layers)[0]:
            parameter.requires_grad_(False)
        self.assertFalse(run(sample).requires_grad)

    def test_train_and_eval(self):
        layers, sample = vgg()
        plain = copy.deepcopy(layers)
        run, plain_run = ckpt_torch.budget(layers, sample, 0.7), chain_of(plain)
        for training in (True, False, True):
            for layer in [*layers, *plain]:
                if isinstance(layer, nn.Module):
                    layer.train(training)
            left, right = run(sample), plain_run(sample)
            left.backward()
            right.backward()
            self.assertTrue(same_bits(left.detach(), right.detach()))
        self.assertEqual(len(run.reports), 2)  # a plan for each mode
        for left, right in zip(sum(parts_of(layers), []), sum(parts_of(plain), [])):
            self.assertTrue(same_bits(left.detach(), right.detach()) and same_bits(left.grad, right.grad))

    def test_a_parameter_that_a_layer_uses_several_times(self):
        torch.manual_seed(3)
        first = nn.Linear(16, 16)

        class Twice(Tied):
            def forward(self, x):
                return torch.tanh(x @ self.weight) @ self.weight.t()

        layers = [first, nn.Tanh(), Twice(first.weight), nn.Tanh(), Twice(first.weight), nn.Tanh(), Tied(first.weight), square]
        sample = torch.randn(256, 16)
        self.check(layers, sample, smallest(layers, sample))

    def test_layers_that_choose_by_grad_mode(self):
        """TransformerEncoderLayer has a faster kernel without autograd, with other bits."""
        torch.manual_seed(3)
        layers = [nn.TransformerEncoderLayer(16, 4, 32, batch_first=True).eval() for _ in range(4)]
        layers.append(lambda x: square(x * 3 if torch.is_grad_enabled() else x))
        sample = torch.randn(4, 10, 16)
        for frozen in (False, True):
            for parameter in layers[2].parameters():
                parameter.requires_grad_(not frozen)
            run = self.check(layers, sample, smallest(layers, sample), steps=1)
            self.assertGreater(run.reports[0].recomputed_forwards, 0)

    def test_autocast(self):
        layers, sample = linear_stack()
        plain = copy.deepcopy(layers)
        run, plain_run = ckpt_torch.budget(layers, sample, 0.5), chain_of(plain)
        for function in (run, plain_run):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = function(sample)
            loss.backward()
        for left, right in zip(parts_of(layers)[0], parts_of(plain)[0]):
            self.assertTrue(same_bits(left.grad, right.grad))
        self.assertEqual(len(run.reports), 2)

    def test_buffers_that_a_layer_reads(self):
        """A spectral norm's vectors: the second run must begin with the same state as the first."""
        torch.manual_seed(2)
        layers = [nn.utils.parametrizations.spectral_norm(nn.Linear(16, 16)) for _ in range(6)] + [square]
        sample = torch.randn(1024, 16)
        self.check(layers, sample, smallest(layers, sample))

    def test_forms(self):
        torch.manual_seed(4)
        layers, sample = transformer(4)
        forms = [ckpt_torch.Forms(layer, layer.lean) if isinstance(layer, Block) else layer for layer in layers]
        plain = copy.deepcopy(layers)
        (fat, lean) = (ckpt_torch.budget(layers, sample, 1.0), ckpt_torch.budget(forms, sample, 1.0))
        option = lean._plans[0].profile.option(1, 1)
        self.assertLess(option.tape_bytes, fat._plans[0].profile.option(1, 0).tape_bytes)
        with unittest.mock.patch.object(_torch_measure, "_seconds",
                                        lambda layers, devices, call, values: (1.0, 2.0 + 0.1 * call.option)):
            run = ckpt_torch.budget(forms, sample, 0.7)
        for function in (run, chain_of(plain)):
            torch.manual_seed(5)
            function(sample).backward()
        for left, right in zip(parts_of(layers)[0], parts_of(plain)[0]):
            self.assertTrue(same_bits(left.grad, right.grad))
        used = {action.option for action in run._plans[0].driver._schedule if action.kind == ckpt.ActionKind.BACKWARD}
        self.assertIn(1, used)


class Recomputing(unittest.TestCase):
    def bytes_kept(self, again):
        """Returns the bytes kept between forward and backward, and the gradients, of a norm, a linear layer and a GELU."""
        torch.manual_seed(4)
        norm, first, second = nn.LayerNorm(64), nn.Linear(64, 256), nn.Linear(256, 64)
        x = torch.randn(40, 64, requires_grad=True)
        meter = _torch_measure._Meter()
        _, y = meter.during(lambda: second(again(F.gelu, first(again(norm, x)))))
        kept = meter.bytes
        y.square().sum().backward()
        return kept, [x.grad, *(parameter.grad for module in (norm, first, second) for parameter in module.parameters())]

    def test_outputs_are_recomputed(self):
        plain_bytes, plain = self.bytes_kept(lambda function, value: function(value))
        with ckpt_torch.recomputing() as again:
            lean_bytes, lean = self.bytes_kept(again)
        self.assertEqual(plain_bytes - lean_bytes, 40 * (64 + 256) * 4)
        for left, right in zip(plain, lean):
            self.assertTrue(same_bits(left, right))

    def test_runs_once_more_and_only_for_a_backward(self):
        runs = []

        def counted(x):
            runs.append(torch.is_grad_enabled())
            return x.exp()

        weight, x = torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)
        with ckpt_torch.recomputing() as again:
            (again(counted, x) @ weight).sum().backward()
            self.assertEqual(runs, [True, False])
            with torch.no_grad():
                again(counted, x)
            self.assertEqual(len(runs), 3)

    def test_views_and_other_tensors(self):
        x, weight = torch.randn(4, 6, requires_grad=True), torch.randn(3, 8, requires_grad=True)
        gradients = []
        for again in (lambda function, value: function(value), ckpt_torch.recomputing()):
            with again if isinstance(again, ckpt_torch.recomputing) else unittest.mock.MagicMock():
                created = again(torch.tanh, x)
                created = again(lambda value: value.t(), created)  # no separate memory: nothing to recompute
                gradients.append(torch.autograd.grad(((created[1:4, :3].t() @ weight) * created.sum()).sum(), (x, weight)))
        for left, right in zip(*gradients):
            self.assertTrue(same_bits(left, right))

    def test_written_tensors_are_refused_or_kept(self):
        weight, leaf = torch.randn(3, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)
        with ckpt_torch.recomputing() as again:
            x = leaf * 1
            y = again(torch.exp, x) @ weight
            x.add_(1)
            with self.assertRaisesRegex(RuntimeError, "an input of a recomputed function was written to"):
                y.sum().backward()
            x = leaf * 1
            created = again(lambda value: value * 2, x)
            created.add_(1)  # no longer the function's result: it is kept
            given = torch.autograd.grad((created @ weight).sum(), weight)[0]
        self.assertTrue(same_bits(given, torch.autograd.grad(((leaf * 2 + 1) @ weight).sum(), weight)[0]))

    def test_entered_twice(self):
        again = ckpt_torch.recomputing()
        with again, self.assertRaisesRegex(ckpt.InvalidStateError, "entered only once"):
            with again:
                pass


class Chain(nn.Module):
    """Its forward uses a budget, or none if share is None."""

    def __init__(self, share):
        super().__init__()
        torch.manual_seed(11)
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(24, 24), nn.Tanh(), nn.Dropout(0.2)) for _ in range(5)])
        self.share, self.run = share, None

    def forward(self, x):
        if self.share is None:
            return chain_of(self.layers)(x)
        if self.run is None:
            self.run = ckpt_torch.budget(self.layers, x, self.share)
        return self.run(x)


def train_as_rank(rank, folder):
    """Runs two steps of each kind on two processes; returns all gradients in turn."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    found = []
    for share in (None, 0.7):
        model = Chain(share)
        around = torch.nn.parallel.DistributedDataParallel(model)
        optimizer = torch.optim.SGD(around.parameters(), lr=0.1)
        torch.manual_seed(100 + rank)
        for _ in range(2):
            optimizer.zero_grad()
            around(torch.randn(256, 24)).square().mean().backward()
            optimizer.step()
            found.append([parameter.grad.clone() for parameter in model.parameters()])
    torch.save((found, model.run.reports[0].recomputed_forwards), f"{folder}/{rank}")
    torch.distributed.destroy_process_group()


@unittest.skipUnless(torch.distributed.is_available() and torch.distributed.is_gloo_available(), "this torch has no gloo")
class Distributed(unittest.TestCase):
    def test_data_parallel_around(self):
        with tempfile.TemporaryDirectory() as folder:
            torch.multiprocessing.spawn(train_as_rank, (folder,), nprocs=2)
            ranks = [torch.load(f"{folder}/{rank}") for rank in range(2)]
        for found, again in ranks:
            self.assertGreater(again, 0)
            for plain, within in zip(found[:2], found[2:]):
                for left, right in zip(plain, within):
                    self.assertTrue(same_bits(left, right))
        for left, right in zip(ranks[0][0][-1], ranks[1][0][-1]):
            self.assertTrue(same_bits(left, right))  # averaged over all ranks


class Bytes(unittest.TestCase):
    def test_measured_peaks(self):
        for name, make in MODELS.items():
            torch.manual_seed(1)
            layers, sample = make()
            least = smallest(layers, sample)
            keep_all = ckpt_torch.budget(layers, sample, 1.0).reports[0].peak_bytes[0]
            for budget in (keep_all, (3 * least + keep_all) // 4, least):
                run = ckpt_torch.budget(layers, sample, budget)
                predicted = run.reports[0].peak_bytes[0]
                found = measured(run, sample, parts_of(layers)[0])
                with self.subTest(name, budget=budget, predicted=predicted, found=found):
                    self.assertLessEqual(found, budget * 1.01)
                    if name != "forks":  # memory that passes through a layer is counted at each layer
                        self.assertLessEqual(abs(predicted - found), 0.05 * found)

    def test_layers_run_as_often_as_planned(self):
        layers = [Counted(layer) for layer in linear_stack()[0]]
        sample = linear_stack()[1]
        run = ckpt_torch.budget(layers, sample, smallest(layers, sample))
        Counted.runs = 0
        run(sample).backward()
        report = run.reports[0]
        self.assertGreater(report.recomputed_forwards, 0)
        self.assertEqual(Counted.runs, len(layers) + report.recomputed_forwards)

    def test_nothing_stays(self):
        layers, sample = transformer(2)
        run = ckpt_torch.budget(layers, sample, 0.6)
        gc.collect()
        gc.disable()  # memory is then freed by reference counts only
        try:
            meter = _torch_measure._Meter()
            alive = []

            def forward_alone():
                output = run(sample)
                alive.append(weakref.ref(output))

            meter.during(forward_alone)
            self.assertIsNone(alive[0]())
            self.assertEqual(meter.bytes, 0)
            meter.during(lambda: [gradient.zero_() for gradient in torch.autograd.grad(run(sample), parts_of(layers)[0])] and None)
            self.assertEqual(meter.bytes, 0)
        finally:
            gc.enable()


class Use(unittest.TestCase):
    def test_names_copies_and_pickles(self):
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(*linear_stack()[0][:-1])
                self.run = ckpt_torch.budget(self.body, torch.randn(512, 32), 0.5)

            def forward(self, x):
                return self.run(x)

        model = Model()
        self.assertEqual(list(model.state_dict()), [f"body.{i}.{part}" for i in range(12) for part in ("weight", "bias")])
        twin = copy.deepcopy(model)
        x = torch.randn(512, 32)
        model(x).sum().backward()
        self.assertIsNone(twin.body[0].weight.grad)
        twin(x).sum().backward()
        self.assertTrue(same_bits(model.body[0].weight.grad, twin.body[0].weight.grad))
        layers = nn.Sequential(*linear_stack()[0][:-1])
        run = pickle.loads(pickle.dumps(ckpt_torch.budget(layers, x, 0.5)))
        run(x).sum().backward()
        self.assertEqual(len(run.reports), 1)

    def test_without_gradients(self):
        layers, sample = transformer(2)
        run = ckpt_torch.budget(layers, sample, 0.6)
        plans = len(run._plans)
        with torch.no_grad():
            torch.manual_seed(0)
            left = run(sample)
            torch.manual_seed(0)
            self.assertTrue(same_bits(left, chain_of(layers)(sample)))
        self.assertEqual(len(run._plans), plans)

    def test_measuring_leaves_no_trace(self):
        layers, sample = vgg()
        before = [buffer.clone() for buffer in parts_of(layers)[1]]
        versions = [part._version for part in sum(parts_of(layers), [])]
        state = torch.get_rng_state()
        ckpt_torch.budget(layers, sample, 0.8)
        self.assertTrue(torch.equal(state, torch.get_rng_state()))
        self.assertTrue(all(map(same_bits, before, parts_of(layers)[1])))
        self.assertTrue(all(parameter.grad is None for parameter in parts_of(layers)[0]))
        self.assertEqual(sample._version, 0)
        self.assertEqual(versions[:len(parts_of(layers)[0])], [part._version for part in parts_of(layers)[0]])

    def test_batches(self):
        layers, sample = linear_stack()
        run = ckpt_torch.budget(layers, sample, 0.5)
        for count in (512, 10, 1):
            mine = copy.deepcopy(layers)
            loss = run(sample[:count])
            loss.backward()
            self.assertTrue(same_bits(loss.detach(), chain_of(mine)(sample[:count]).detach()))
        self.assertEqual(len(run.reports), 1)
        with self.assertRaisesRegex(ckpt.OverBudgetError, "the smallest that works"):
            run(torch.randn(5120, 32))  # the share was of the sample's bytes
        self.assertIn("layers recomputed", run.explain())

    def test_a_share_is_answered_in_percent(self):
        layers, sample = linear_stack()
        wanted = r"budget 1% is \d+ bytes of the \d+ that keeping everything needs: .*the smallest that works for this chain is \d+ \(\d+\.\d%\)"
        with self.assertRaisesRegex(ckpt.OverBudgetError, wanted) as raised:
            ckpt_torch.budget(layers, sample, "1%")
        percent = str(raised.exception).rpartition("(")[2].partition(")")[0]
        self.assertGreaterEqual(ckpt_torch.budget(layers, sample, percent).bytes, smallest(layers, sample))
        with self.assertRaisesRegex(ckpt.OverBudgetError, "^budget is 1 bytes; "):
            ckpt_torch.budget(layers, sample, 1)

    def test_budgets(self):
        layers, sample = linear_stack()
        keep_all = ckpt_torch.budget(layers, sample, 1.0).bytes
        self.assertEqual(ckpt_torch.budget(layers, sample, "50%").bytes, keep_all // 2)
        self.assertEqual(ckpt_torch.budget(layers, sample, "1 MiB").bytes, 1 << 20)
        self.assertEqual(ckpt_torch.budget(layers, sample, 1 << 20).bytes, 1 << 20)
        for bad in (0, -1, "x", "5 elephants", 1.5, True, None, float("nan")):
            with self.subTest(bad), self.assertRaises(ckpt.InvalidArgumentError):
                ckpt_torch.budget(layers, sample, bad)


class Refused(unittest.TestCase):
    def setUp(self):
        self.layers, self.sample = linear_stack()
        self.run_ = ckpt_torch.budget(self.layers, self.sample, 0.6)

    def test_second_backward(self):
        loss = self.run_(self.sample)
        loss.backward(retain_graph=True)
        with self.assertRaisesRegex(ckpt.UnsupportedError, "second backward"):
            loss.backward()

    def test_double_backward(self):
        with self.assertRaisesRegex(ckpt.UnsupportedError, "create_graph"):
            torch.autograd.grad(self.run_(self.sample), [self.layers[0].weight], create_graph=True)

    def test_written_parameters(self):
        loss = self.run_(self.sample)
        with torch.no_grad():
            self.layers[2].weight.mul_(2)
        with self.assertRaisesRegex(RuntimeError, "was written to between forward and backward"):
            loss.backward()

    def test_layers(self):
        class DistributedDataParallel(nn.Module):
            pass

        with self.assertRaisesRegex(ckpt.UnsupportedError, "layer 1: contains a DistributedDataParallel"):
            ckpt_torch.budget([nn.Linear(4, 4), nn.Sequential(DistributedDataParallel())], torch.randn(2, 4), 1.0)
        with self.assertRaisesRegex(ckpt.UnsupportedError, "writes into the chain's input"):
            ckpt_torch.budget([nn.ReLU(inplace=True), nn.Linear(4, 4)], torch.randn(2, 4), 1.0)
        with self.assertRaisesRegex(ckpt.UnsupportedError, "found a dict"):
            ckpt_torch.budget([nn.Linear(4, 4), lambda x: {"x": x}], torch.randn(2, 4), 1.0)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "layer 0: expected a callable, found 3"):
            ckpt_torch.budget([3], torch.randn(2, 4), 1.0)
        with self.assertRaisesRegex(ckpt.InvalidArgumentError, "callables is empty"):
            ckpt_torch.budget([], torch.randn(2, 4), 1.0)

    def test_a_function_with_other_parameters(self):
        weights = [torch.randn(4, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True)]
        run = ckpt_torch.budget([lambda x: x @ weights[0], square], torch.randn(2, 4), 1.0)
        run(torch.randn(2, 4)).backward()
        self.assertIsNotNone(weights[0].grad)
        weights.reverse()
        with self.assertRaisesRegex(ckpt.UnsupportedError, "uses a parameter that it did not use"):
            run(torch.randn(2, 4))


if __name__ == "__main__":
    unittest.main()
