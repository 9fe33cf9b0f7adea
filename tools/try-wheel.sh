#!/bin/sh
# Tests a wheel in a bare Debian root, which has Python, but neither LLVM, Vulkan nor a compiler (`make test-wheel`):
#
#   tools/try-wheel.sh WHEEL [SUITE]
#
# SUITE is bookworm (Python 3.11) or trixie (3.13). The wheel determines the default. Needs root and debootstrap; if
# they are missing, says so and exits with 77. The root and the packages (NumPy, Triton, and PyTorch if it can be
# downloaded) stay in build/wheel for the next time.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/setup/private-packages.sh"

[ $# -ge 1 ] || give_up "which wheel? $0 WHEEL [SUITE]"
wheel=$(realpath "$1")
case ${2:-$1} in
  bookworm | *-cp311-*) suite=bookworm ;;
  trixie | *-abi3-*) suite=trixie ;;
  *) give_up "for which Debian? $1 is neither for Python 3.11 nor for 3.12 and later" ;;
esac
folder=$here/build/wheel
root=$folder/root-$suite
packages=$folder/packages-$suite

absent() {
  echo "try-wheel: not tried: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || absent "only root can make a Debian root"
command -v debootstrap >/dev/null || absent "there is no debootstrap"

if [ ! -e "$root/complete" ]; then
  echo "try-wheel: unpacking Debian ($suite)"
  rm -rf "$root"
  mkdir -p "$folder/apt"
  mirror=$(private_mirror "$folder/apt")
  rm -rf "$folder/apt"
  [ -n "$mirror" ] || absent "apt has no source of Debian here"
  debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" "$mirror" \
    > "$folder/debootstrap.log" 2>&1 || absent "$(tail -n 1 "$folder/debootstrap.log")"
  # Debian's package manager has a zstd library, but the wheel must work with its own. (In Debian 13, OpenSSL needs it,
  # too; pip reports there that it is missing.)
  find "$root/usr/lib" -name 'libzstd.so*' -delete
  touch "$root/complete"
fi
found=$(find "$root/usr/lib" "$root/usr/bin" \( -name 'libLLVM*' -o -name 'libvulkan*' -o \
  -name 'libzstd.so*' -o -path '*/bin/*cc' -o -path '*/bin/clang*' \) -print -quit)
[ -z "$found" ] || give_up "the root is not bare: $found"

# This machine's pip downloads the packages, so the root does not need its settings.
version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
fetch() {
  "$here/.venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-input \
    --python-version "$version" --only-binary :all: --dest "$packages" "$@" >> "$folder/fetch.log" 2>&1
}
if [ ! -e "$packages/complete" ]; then
  echo "try-wheel: fetching NumPy, Triton and PyTorch for Python $version"
  rm -rf "$packages"
  mkdir -p "$packages"
  : > "$folder/fetch.log"
  pinned=$(sed -n 's/^\(\(numpy\|triton\)==[^ ;]*\).*/\1/p' "$here/setup/requirements.txt")
  # shellcheck disable=SC2086
  fetch --no-deps $pinned || absent "$(tail -n 1 "$folder/fetch.log")"
  fetch --no-deps --requirement "$here/setup/requirements-torch.txt" ||
    echo "try-wheel: without PyTorch: no build of it for CPUs is to be had"
  touch "$packages/complete"
fi

# Copies the programs of the test: the examples, and one that reports where the libraries are.
rm -rf "$root/try"
mkdir -p "$root/try/packages" "$root/proc" "$root/dev"
cp -r "$here/examples" "$here/tools/try-wheel.py" "$root/try"
cp "$wheel" "$root/try"
cat > "$root/try/run.sh" <<'RUN'
set -eu
cd /try
python3 -m venv python-here
pip="python-here/bin/python -m pip install --quiet --disable-pip-version-check --no-input --no-index"
$pip --no-deps --no-compile packages/*.whl
$pip ./*.whl
show() {
  echo "\$ $*"
  "$@"
}
PATH=/try/python-here/bin:/usr/bin:/bin
show python -c 'import pumice; print(pumice.devices())'
show python examples/python/histogram.py --device cpu
show python examples/triton/softmax.py --device cpu
show python examples/triton/matmul.py --device cpu
show python examples/triton/attention.py --device cpu
if python -c 'import torch' 2> /dev/null; then
  show python examples/pytorch/device.py
fi
show python try-wheel.py
RUN
# Uses a separate mount namespace, so that nothing stays mounted.
exec unshare --mount --propagation private sh -c '
  mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
  mount --bind "$1" "$0/try/packages" &&
  exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$0" sh /try/run.sh' "$root" "$packages"
