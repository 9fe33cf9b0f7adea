// Each 8-bit code. Values out of range, such as infinities, are clamped.
//! size 256
//! groups 1
//! let ends = np.array([np.inf, -np.inf, 3e38, -3e38, 1.0000001, -1.0000001, -0.0, 1e-40], np.float32)
//! let s = np.array([127, -127, 127, -127, 127, -127, 0, 0])
//! let u = np.array([255, 0, 255, 0, 255, 0, 0, 0])
//! in vec4 a = ends[(I[:, None] + np.arange(4)) % 8]
//! in uint code = I * 0x01010101
//! out uint s8 = s[(I[:, None] + np.arange(4)) % 8].astype(np.int8).view(np.uint32)
//! out uint u8 = u[(I[:, None] + np.arange(4)) % 8].astype(np.uint8).view(np.uint32)
//! out uint s16 = np.where(s == 127, 32767, np.where(s == -127, -32767, 0))[(I[:, None] + np.arange(2)) % 8].astype(np.int16).view(np.uint32)
//! out uint u16 = np.where(u == 255, 65535, 0)[(I[:, None] + np.arange(2)) % 8].astype(np.uint16).view(np.uint32)
//! out uint again = code
//! out uint signed_ = np.where(code == 0x80808080, 0x81818181, code)
void main() {
  s8[I] = packSnorm4x8(a[I]);
  u8[I] = packUnorm4x8(a[I]);
  s16[I] = packSnorm2x16(a[I].xy);
  u16[I] = packUnorm2x16(a[I].xy);
  again[I] = packUnorm4x8(unpackUnorm4x8(code[I]));
  signed_[I] = packSnorm4x8(unpackSnorm4x8(code[I]));
}
