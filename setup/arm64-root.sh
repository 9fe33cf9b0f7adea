#!/bin/sh
# Unpacks libraries and Python of Debian 13 for 64-bit Arm, which qemu-aarch64 runs, into FOLDER:
#
#   setup/arm64-root.sh FOLDER
#
# `qemu-aarch64 -L FOLDER/root PROGRAM` runs a program, and FOLDER/bin/python is the Python. It has NumPy, from PyPI.
# Needs no root and changes nothing outside FOLDER. Does nothing if FOLDER is complete.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
. "$here/private-packages.sh"
[ ! -s "$folder/complete" ] || exit 0
command -v qemu-aarch64 > /dev/null || give_up "there is no qemu-aarch64 here: install qemu-user"

architecture=arm64
download_packages "$folder" trixie libc6 libgcc-s1 libstdc++6 zlib1g libexpat1 libffi8 libbz2-1.0 liblzma5 libssl3t64 \
  libzstd1 python3.13-minimal libpython3.13-minimal libpython3.13-stdlib
mkdir -p "$folder/root" "$folder/bin"
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder/root"
done
for link in bin sbin lib; do
  [ -e "$folder/root/$link" ] || ln -s "usr/$link" "$folder/root/$link"
done
cat > "$folder/bin/python" <<PYTHON
#!/bin/sh
exec qemu-aarch64 -L "$folder/root" "$folder/root/usr/bin/python3.13" "\$@"
PYTHON
chmod +x "$folder/bin/python"
"${PYTHON:-/usr/bin/python3}" -m pip install --quiet --disable-pip-version-check --no-input --target "$folder/site" \
  --platform manylinux_2_28_aarch64 --platform manylinux2014_aarch64 --only-binary :all: --python-version 3.13 \
  --implementation cp numpy==2.2.6 > "$folder/log" 2>&1 || give_up "no NumPy for arm64: $(tail -n 1 "$folder/log")"
"$folder/bin/python" -c "import ctypes" > "$folder/log" 2>&1 || # NumPy's import takes 15 seconds
  give_up "the Python does not run: $(tail -n 1 "$folder/log")"
versions=$(for deb in "$folder"/debs/*.deb; do
  dpkg-deb --show --showformat='${Package} ${Version}\n' "$deb"
done)
drop_downloads "$folder"
echo "$versions" > "$folder/complete"
