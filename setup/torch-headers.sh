#!/bin/sh
# Unpacks from PyTorch's wheels what the library of torch.device("vk") is compiled with, and prints a folder for each.
#
#   setup/torch-headers.sh FOLDER VERSION...
#
# A wheel has half a GB and is deleted again; the headers and two libraries stay in FOLDER/VERSION. Needs no root and
# changes nothing outside FOLDER. Does nothing for versions that are complete.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 2 ] || { echo "usage: $0 FOLDER VERSION..." >&2; exit 2; }
folder=$1
shift

for version; do
  if [ ! -e "$folder/$version/complete" ]; then
    rm -rf "${folder:?}/$version"
    mkdir -p "$folder/$version"
    "$here/.venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-input --no-deps \
      --only-binary :all: --dest "$folder/$version" "torch==$version" >&2
    "$here/.venv/bin/python" - "$folder/$version" <<'UNPACK'
import pathlib, re, sys, zipfile
folder = pathlib.Path(sys.argv[1])
wheel, = folder.glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        if re.match(r"torch/(include/|lib/lib(torch_cpu|c10)[.]so)", name):
            archive.extract(name, folder)
wheel.unlink()
UNPACK
    touch "$folder/$version/complete"
  fi
  echo "$folder/$version/torch"
done
