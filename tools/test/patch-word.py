"""patch-word.py FILE INDEX VALUE: writes the file to stdout with one 32-bit word replaced."""
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<I", data, 4 * int(sys.argv[2]), int(sys.argv[3], 0))
sys.stdout.buffer.write(data)
