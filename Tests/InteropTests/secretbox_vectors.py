#!/usr/bin/env python3
"""Writes XSalsa20-Poly1305 vectors made by PyNaCl, one a line: key, nonce, plaintext and box in base64 ("-" when empty).

usage: secretbox_vectors.py [COUNT [SEED]] > FILE      (defaults: 10000 vectors, seed 1)

The Swift tests read the file that LIFELINE_SECRETBOX_VECTORS names. Needs PyPI's pynacl. The same seed gives the same file.
"""
import base64
import random
import sys

from nacl.secret import SecretBox


def text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii") or "-"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    generator = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for index in range(count):
        key = generator.randbytes(SecretBox.KEY_SIZE)
        nonce = generator.randbytes(SecretBox.NONCE_SIZE)
        # Every short length in turn, so that all block edges occur; now and then a long text.
        length = generator.randrange(4096) if index % 10 == 9 else index % 300
        plaintext = generator.randbytes(length)
        if index % 7 == 0:
            # Runs of ones drive the carries of the authenticator.
            plaintext = b"\xff" * length
        box = SecretBox(key).encrypt(plaintext, nonce).ciphertext
        print(text(key), text(nonce), text(plaintext), text(box))


if __name__ == "__main__":
    main()
