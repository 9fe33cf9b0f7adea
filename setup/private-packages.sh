# Functions for scripts that unpack packages of Debian 12 without root, apart from the system's own.
# Source this file; do not run it. Everything happens in a folder that the caller names. The machine's own apt
# configuration gives the mirror and the way to reach it.

# give_up WORD...: names the script, says why, and ends it.
give_up() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 1
}

# private_mirror FOLDER: prints where this machine's apt finds Debian's main suite. Downloads nothing.
private_mirror() {
  apt-get update --print-uris -o Dir::State::Lists="$1" -o Debug::NoLocking=1 2>/dev/null |
    sed -n "s|^'\(.*\)/dists/bookworm/InRelease' .*|\1|p" | head -n 1
}

# download_packages FOLDER SUITE PACKAGE...: downloads FOLDER/debs/*.deb, from SUITE if it has them.
# apt keeps its files in FOLDER/apt. drop_downloads removes both. If the variable `architecture` is set, the packages
# are of that architecture. If `kind` is deb-src, their sources are downloaded instead.
download_packages() {
  into=$1 suite=$2
  shift 2
  [ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] ||
    give_up "these packages are for Debian 12 on amd64"
  mkdir -p "$into/apt/lists/partial" "$into/apt/cache/archives/partial" "$into/debs"
  mirror=$(private_mirror "$into/apt/lists")
  [ -n "$mirror" ] || give_up "apt has no source of Debian 12 (bookworm) here"
  suites=bookworm
  [ "$suite" = bookworm ] || suites="bookworm $suite"
  cat > "$into/apt/debian.sources" <<SOURCES
Types: ${kind:-deb}
URIs: $mirror
Suites: $suites
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  # From the machine's configuration, keeps only how files are fetched (proxies, dates), and no hooks.
  { apt-config dump Acquire
    cat <<SETTINGS
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
APT::Architecture "${architecture:-amd64}";
APT::Default-Release "$suite";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Debug::NoLocking "1";
Dir::Cache "$into/apt/cache";
Dir::Etc::Main "/dev/null";
Dir::Etc::Parts "/dev/null";
Dir::Etc::SourceList "$into/apt/debian.sources";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$into/apt/lists";
SETTINGS
  } > "$into/apt/apt.conf"
  (cd "$into/debs" && APT_CONFIG=$into/apt/apt.conf && export APT_CONFIG &&
     apt-get -qq update && if [ "${kind:-deb}" = deb ]; then apt-get -qq download "$@"
     else apt-get -qq source --download-only "$@"; fi) > "$into/apt/log" 2>&1 ||
    give_up "not downloaded: $(grep -m 1 '^E: ' "$into/apt/log" || tail -n 1 "$into/apt/log")"
}

# require_libraries FILE...: checks that all libraries that the files need are found.
require_libraries() {
  missing=$(ldd "$@" | grep 'not found' || true)
  [ -z "$missing" ] || give_up "libraries are missing: $missing"
}

drop_downloads() {
  rm -rf "$1/apt" "$1/debs"
}
