#!/usr/bin/env python3
"""Checks the ad hoc signature of a Mach-O library: every page has the hash that the signature names.

    check-signature.py FILE

macOS ends a process whose code does not have the hashes of its signature. The formats are those of Apple's
mach-o/loader.h and of the code directory in xnu's cs_blobs.h.
"""
import hashlib
import pathlib
import struct
import sys

SEGMENT, SIGNATURE, BUILD = 0x19, 0x1d, 0x32
EMBEDDED, DIRECTORY = 0xfade0cc0, 0xfade0c02
AD_HOC, SHA256 = 0x2, 2


def commands(data):
    """Yields the kind and the bytes of each load command."""
    count, at = struct.unpack_from("<I", data, 16)[0], 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, data[at:at + size]
        at += size


def code_directory(data):
    """Returns the code directory of the file, and the position of the signature."""
    found = [command for kind, command in commands(data) if kind == SIGNATURE]
    if len(found) != 1:
        sys.exit(f"expected one LC_CODE_SIGNATURE, got {len(found)}")
    at, size = struct.unpack_from("<II", found[0], 8)
    if at % 16 or at + size != len(data):
        sys.exit(f"expected the signature at the end of the file's {len(data)} bytes, got {at} + {size}")
    magic, _, blobs = struct.unpack_from(">III", data, at)
    if magic != EMBEDDED:
        sys.exit(f"expected an embedded signature, got {magic:#x}")
    for i in range(blobs):
        kind, offset = struct.unpack_from(">II", data, at + 12 + 8 * i)
        if kind == 0:
            return data[at + offset:at + size], at
    sys.exit("the signature has no code directory")


def main():
    data = pathlib.Path(sys.argv[1]).read_bytes()
    if struct.unpack_from("<I", data)[0] != 0xfeedfacf:
        sys.exit("this is not a Mach-O file of 64 bits")
    directory, end = code_directory(data)
    (magic, length, version, flags, hashes, _, _, slots, limit, hash_size, hash_kind, _,
     page_bits) = struct.unpack_from(">IIIIIIIIIBBBB", directory)
    if magic != DIRECTORY or not flags & AD_HOC or hash_kind != SHA256 or hash_size != 32:
        sys.exit(f"expected an ad hoc signature with SHA-256, got flags {flags:#x} and hash {hash_kind}")
    if limit != end or version < 0x20400:
        sys.exit(f"expected hashes of the {end} bytes before the signature, got {limit}")
    page = 1 << page_bits
    if slots != -(-limit // page) or length < hashes + 32 * slots:
        sys.exit(f"expected {-(-limit // page)} hashes of pages, got {slots}")
    for i in range(slots):
        wanted = directory[hashes + 32 * i:hashes + 32 * (i + 1)]
        if hashlib.sha256(data[i * page:min((i + 1) * page, limit)]).digest() != wanted:
            sys.exit(f"page {i} does not have the hash of the signature")
    least = [".".join(map(str, (version >> 16, version >> 8 & 255)))
             for kind, command in commands(data) if kind == BUILD
             for version in struct.unpack_from("<I", command, 12)]
    print(f"signed ad hoc: {slots} pages of {page} bytes; macOS {', '.join(least)} and later")


if __name__ == "__main__":
    main()
