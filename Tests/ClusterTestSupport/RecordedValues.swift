import Foundation
import NIOCore
import ServerCluster

/// Values as the version before wrote them, from `Tests/Fixtures/cluster`.
package enum RecordedValues {
    /// The recorded values of a type, in the order in which they were written.
    package static func bytes(of name: String) throws -> [ByteBuffer] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: tests.appendingPathComponent("Fixtures/cluster/sequence.txt"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.first.map(String.init) == name else { return nil }
            return bytes(words.dropFirst().first ?? "")
        }
    }

    private static func bytes(_ text: Substring) -> ByteBuffer? {
        var bytes = ByteBuffer()
        var digits = text
        while !digits.isEmpty {
            guard let byte = UInt8(digits.prefix(2), radix: 16) else { return nil }
            bytes.writeInteger(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    /// Whether values are written as recorded, the recorded bytes are read as these values, and both hold for the tagged layout, also
    /// with a field of a later version.
    ///
    /// - Returns: what does not hold.
    package static func failures<Value: CodedValue>(of values: [Value], recordedAs name: String) throws -> [String] {
        try failures(of: values, recordedAs: name, { $0.encoded($1) }, { try Value(decoding: $0) })
    }

    package static func failures<Value>(
        of values: [Value], recordedAs name: String, _ encode: (Value, CodingLayout) throws -> ByteBuffer,
        _ decode: (ByteBuffer) throws -> Value
    ) throws -> [String] {
        let recorded = try bytes(of: name)
        guard recorded.count == values.count else { return ["\(name): \(recorded.count) are recorded"] }
        var failures: [String] = []
        func check(_ text: String, _ bytes: ByteBuffer, _ expected: ByteBuffer) {
            if (try? encode(decode(bytes), .sequence)) != expected { failures.append("\(name): \(text)") }
        }
        for (value, recorded) in zip(values, recorded) {
            if try encode(value, .sequence) != recorded { failures.append("\(name): written in another way") }
            check("the recorded bytes are not read", recorded, recorded)
            let tagged = try encode(value, .tagged)
            check("tagged fields are not read", tagged, recorded)
            check("a field of a later version is not skipped", withLaterField(tagged), recorded)
            for length in 0..<tagged.readableBytes {
                guard let cut = tagged.getSlice(at: tagged.readerIndex, length: length), (try? decode(cut)) != nil else {
                    continue
                }
                failures.append("\(name): \(length) bytes are taken for a value")
            }
        }
        return failures
    }

    /// A value in the tagged layout with one more field, as a later version writes it.
    package static func withLaterField(_ tagged: ByteBuffer) -> ByteBuffer {
        var bytes = tagged
        bytes.writeBytes([255, 5] as [UInt8] + Array("later".utf8))
        bytes.setInteger(UInt32(bytes.readableBytes - 8), at: bytes.readerIndex + 4)
        return bytes
    }
}
