import NIOCore

/// The bytes of one input. Their memory is valid during the run only.
struct FuzzInput {
    /// All bytes that have not been taken yet.
    private(set) var bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var array: [UInt8] { Array(bytes) }
    /// The bytes as text; invalid UTF-8 is replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes the first byte, such as to choose one of several parsers; 0 when there is none.
    mutating func byte() -> UInt8 {
        guard let first = bytes.first else { return 0 }
        bytes = UnsafeRawBufferPointer(rebasing: bytes[1...])
        return first
    }

    /// Takes everything up to the next line feed, which is left out.
    mutating func line() -> FuzzInput {
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.count
        defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[min(end + 1, bytes.count)...]) }
        return FuzzInput(UnsafeRawBufferPointer(rebasing: bytes[..<end]))
    }

    /// All lines, at most `limit`. The last one has whatever is left.
    mutating func lines(upTo limit: Int) -> [FuzzInput] {
        var lines: [FuzzInput] = []
        while !bytes.isEmpty, lines.count < limit { lines.append(line()) }
        return lines
    }

    /// The bytes in pieces of at most `size` bytes, as reads of a socket would bring them.
    func pieces(of size: Int) -> [ByteBuffer] {
        stride(from: 0, to: bytes.count, by: max(size, 1)).map { start in
            ByteBuffer(bytes: bytes[start..<min(start + max(size, 1), bytes.count)])
        }
    }
}
