"""The hash behind the files in which `check` keeps its results."""

from __future__ import annotations

MASK = (1 << 64) - 1


def siphash(data: bytes) -> bytes:
    """SipHash-2-4 with 128 bits and the key of its published test vectors, by its definition."""

    def turn(word: int, by: int) -> int:
        return (word << by | word >> (64 - by)) & MASK

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & MASK
            v[2] = (v[2] + v[3]) & MASK
            v[1], v[3] = turn(v[1], 13) ^ v[0], turn(v[3], 16) ^ v[2]
            v[0] = turn(v[0], 32)
            v[0] = (v[0] + v[3]) & MASK
            v[2] = (v[2] + v[1]) & MASK
            v[3], v[1] = turn(v[3], 21) ^ v[0], turn(v[1], 17) ^ v[2]
            v[2] = turn(v[2], 32)

    k0, k1 = (int.from_bytes(bytes(range(start, start + 8)), "little") for start in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return first.to_bytes(8, "little") + (v[0] ^ v[1] ^ v[2] ^ v[3]).to_bytes(8, "little")
