"""Prints capabilities, extensions, execution modes and Intel's instructions of a module, which older SPIRV-Tools cannot
disassemble: instructions.py MODULE. Operands that are constants are printed as their values."""
import struct
import sys

NAMES = {6231: "OpSubgroup2DBlockLoadINTEL", 6232: "OpSubgroup2DBlockLoadTransformINTEL",
         6233: "OpSubgroup2DBlockLoadTransposeINTEL", 6234: "OpSubgroup2DBlockPrefetchINTEL",
         6235: "OpSubgroup2DBlockStoreINTEL", 6237: "OpSubgroupMatrixMultiplyAccumulateINTEL"}
EXTENSION, EXECUTION_MODE, CAPABILITY, CONSTANT, CALL = 10, 16, 17, 43, 57
MATRIX_PRODUCT = 6237

data = open(sys.argv[1], "rb").read()
words = struct.unpack(f"<{len(data) // 4}I", data)
constants: dict[int, int] = {}
at = 5
while at < len(words):
    length, opcode = words[at] >> 16, words[at] & 0xffff
    operands = words[at + 1:at + length]
    values = " ".join(str(constants.get(operand, "%")) for operand in operands)
    if opcode == CAPABILITY:
        print("OpCapability", operands[0])
    elif opcode == EXTENSION:
        print("OpExtension", struct.pack(f"<{len(operands)}I", *operands).rstrip(b"\0").decode())
    elif opcode == EXECUTION_MODE:
        print("OpExecutionMode", *operands[1:])
    elif opcode == CONSTANT and len(operands) == 3:
        constants[operands[1]] = operands[2]
    elif opcode == CALL:
        print("OpFunctionCall")
    elif opcode == MATRIX_PRODUCT:  # the last operand is a literal
        print(NAMES[opcode], constants[operands[2]], hex(operands[-1]))
    elif opcode in NAMES:
        print(NAMES[opcode], values)
    at += length
