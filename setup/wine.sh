#!/bin/sh
# Unpacks Wine, which runs the programs of Windows that `make packages` builds, into FOLDER:
#
#   setup/wine.sh FOLDER
#
# FOLDER/bin/wine PROGRAM.EXE runs a program. The files are packages of Debian 12 (100 MB to download, 1.4 GB unpacked). Needs no root
# and changes nothing outside FOLDER.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
. "$(cd "$(dirname "$0")" && pwd)/private-packages.sh"
[ ! -s "$folder/complete" ] || exit 0

download_packages "$folder" bookworm libwine wine64 libz-mingw-w64 libcapi20-3
mkdir -p "$folder/root" "$folder/bin"
for deb in "$folder"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder/root"
done
# The packages' scripts look in /usr/lib, and links of the package would be made when it is installed.
cp -f "$folder/root/usr/lib/wine/wineserver64" "$folder/root/usr/lib/wine/wineserver"
cp -f "$folder/root/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$folder/root/usr/lib/x86_64-linux-gnu/wine/x86_64-windows/"
rm -rf "$folder/root/usr/lib/x86_64-linux-gnu/wine/i386-windows"
cat > "$folder/bin/wine" <<WINE
#!/bin/sh
# WINEPREFIX would be the user's own. Nothing here shows windows or asks to download anything.
export WINEPREFIX="$folder/prefix" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=;winemenubuilder.exe=d" DISPLAY=
exec "$folder/root/usr/lib/wine/wine64" "\$@"
WINE
chmod +x "$folder/bin/wine"
# The first start makes the folder of the system, and fails here for want of a screen.
"$folder/bin/wine" wineboot --init > "$folder/log" 2>&1 || true
[ -s "$folder/prefix/drive_c/windows/system32/kernel32.dll" ] ||
  give_up "Wine does not start: $(tail -n 1 "$folder/log")"
versions=$(for deb in "$folder"/debs/*.deb; do
  dpkg-deb --show --showformat='${Package} ${Version}\n' "$deb"
done)
drop_downloads "$folder"
echo "$versions" > "$folder/complete"
