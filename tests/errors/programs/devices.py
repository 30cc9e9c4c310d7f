# Where tensors lie: on several devices, on one that nothing serves, or nowhere.

# ---- tensors on different devices
def application(x, output):
    output = x

vectors(application)(Fake("cuda:0"), Fake("cuda:1"))
# error: DeviceError: x is on cuda:0, but output is on cuda:1; move all tensors to one device, with output.to('cuda:0')
# ---- a CUDA tensor beside CPU tensors
def application(x, y, output):
    output = x + y

vectors(application)(torch.ones(4), Fake("cuda:0"), torch.ones(4))
# error: DeviceError: x is on cpu, but y is on cuda:0; move all tensors to one device, with y.to('cpu')
# ---- a device that nothing serves
def application(x, output):
    output = x

vectors(application)(Fake("mps:0"), Fake("mps:0"))
# error: DeviceError: kernel 'application' was called with tensors on 'mps'; pass tensors on a CUDA or HIP device (`tensor.cuda()`)
# ---- tensors without data
def application(x, output):
    output = x

vectors(application)(torch.ones(4, device="meta"), torch.ones(4, device="meta"))
# error: DeviceError: x is on the meta device, which holds no data, and the application reads or writes it; pass a tensor with data
# ---- CUDA tensors with backend='interpret'
def application(x, output):
    output = x

vectors(application, backend="interpret")(Fake("cuda:0"), Fake("cuda:0"))
# error: DeviceError: the tensors are on cuda:0, and backend='interpret' takes CPU tensors; move them with .cpu(), or leave backend out
# ---- CPU tensors with backend='ttir'
def application(x, output):
    output = x

vectors(application, backend="ttir")(torch.ones(4), torch.ones(4))
# error: DeviceError: the tensors are on cpu, and backend='ttir' takes GPU tensors; move them with .cuda(), or leave backend out
# ---- CUDA tensors where no GPU backend works
def application(x, output):
    output = x

class NoCuda:
    """``torch.cuda`` of a torch that was built without it."""

    @staticmethod
    def is_available():
        return False

    @staticmethod
    def current_device():
        raise AssertionError("Torch not compiled with CUDA enabled")

from ninetoothed.runtime.launch import device

monkeypatch.setattr(device, "module", NoCuda)
vectors(application)(Fake("cuda:0"), Fake("cuda:0"))
# error: DeviceError: torch can use no CUDA or HIP device here (Torch not compiled with CUDA enabled); pass CPU tensors (`tensor.cpu()`), which are evaluated without one, or install a torch built for your GPU
