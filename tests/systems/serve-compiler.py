"""Makes native code of another system for RemoteCompiler.cpp, which leaves its requests as files in a folder.

    with Server(build, folder, "aarch64"): run the programs

The structures are those of support/CompilerInterface.h.
"""
import ctypes
import os
import pathlib
import struct
import threading
import time

VERSION = 9


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Constant(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint32), ("bytes", ctypes.c_uint32), ("bits", ctypes.c_uint64)]


class Progress(ctypes.Structure):
    _fields_ = [("reached", ctypes.c_void_p), ("user", ctypes.c_void_p)]


class NativeRequest(ctypes.Structure):
    _fields_ = [("code", Text), ("entryPoint", Text), ("label", Text), ("constants", ctypes.POINTER(Constant)),
                ("constantCount", ctypes.c_size_t), ("workgroupSize", ctypes.c_uint32 * 3),
                ("requiredSubgroupSize", ctypes.c_uint32), ("robustAccess", ctypes.c_bool), ("cpu", Text),
                ("features", Text), ("progress", Progress)]


class Response(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", Text), ("diagnostics", Text), ("executable", Text),
                ("owner", ctypes.c_void_p)]


class Interface(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("producer", Text), ("compile", ctypes.c_void_p),
                ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Response))),
                ("compileNative", ctypes.CFUNCTYPE(None, ctypes.POINTER(NativeRequest), ctypes.POINTER(Response)))]


def text_of(data):
    """Returns the data as a Text, which keeps it alive."""
    text = Text(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
    text.kept = data
    return text


def bytes_of(text):
    return ctypes.string_at(text.data, text.size) if text.size else b""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def text(self):
        size = self.numbers("I")[0]
        self.at += size
        return self.data[self.at - size:self.at]


class Server:
    def __init__(self, build, folder, processor):
        library = ctypes.CDLL(str(pathlib.Path(build) / "lib/libpumice-compiler.so"))
        library.pumice_compiler_interface.restype = ctypes.POINTER(Interface)
        found = library.pumice_compiler_interface(VERSION)
        if not found:
            raise SystemExit(f"the compiler library does not have version {VERSION} of its interface")
        self.interface, self.folder, self.processor = found.contents, pathlib.Path(folder), processor
        self.count, self.stop = 0, threading.Event()
        self.thread = threading.Thread(target=self.serve)

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.iterdir():
            old.unlink()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def serve(self):
        while not self.stop.is_set():
            for file in self.folder.glob("*.request"):
                answer = self.answer(file.read_bytes())
                file.unlink()
                part = file.with_suffix(".part")
                part.write_bytes(answer)
                os.replace(part, file.with_suffix(".response"))
                self.count += 1
            time.sleep(0.001)

    def answer(self, data):
        reader = Reader(data)
        lanes, robust, *size = reader.numbers("IIIII")
        request = NativeRequest(requiredSubgroupSize=lanes, robustAccess=bool(robust))
        request.workgroupSize[:] = size
        request.code, request.entryPoint, request.label = (text_of(reader.text()) for _ in range(3))
        count = reader.numbers("I")[0]
        request.constants = (Constant * max(count, 1))(*(Constant(*reader.numbers("IIQ")) for _ in range(count)))
        request.constantCount = count
        request.cpu = text_of(self.processor.encode())
        response = Response()
        self.interface.compileNative(request, response)
        result = struct.pack("<i", response.code)
        for text in (response.message, response.diagnostics, response.executable):
            result += struct.pack("<I", text.size) + bytes_of(text)
        self.interface.release(response)
        return result
