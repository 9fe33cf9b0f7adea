# Writes the words of the SPIR-V file `binary` as `const uint32_t name[]` into the file `header`.
file(READ ${binary} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1,\n" words "${bytes}")
file(WRITE ${header} "const uint32_t ${name}[] = {\n${words}};\n")
