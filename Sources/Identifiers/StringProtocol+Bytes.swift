// Byte-wise versions of `hasPrefix`, `hasSuffix`, `contains` and `split`. The functions of the standard library compare Characters: a comma
// before a combining mark, or after U+0600, is another Character than a comma. Protocols separate names, and recognise their prefixes, by
// single bytes. The standard library would therefore read some names differently from other programs (rule HB-84).
extension StringProtocol {
    /// Whether the UTF-8 bytes begin with those of `prefix`.
    @inlinable
    public func hasBytePrefix(_ prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8)
    }

    /// Whether the UTF-8 bytes end with those of `suffix`.
    @inlinable
    public func hasByteSuffix(_ suffix: String) -> Bool {
        let isSuffix = utf8.withContiguousStorageIfAvailable { bytes in
            suffix.utf8.withContiguousStorageIfAvailable { ByteEquality.ends(.init(bytes), with: .init($0)) }
        }
        return (isSuffix ?? nil) ?? utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The text without `suffix` if its bytes end with the suffix's; otherwise the whole text.
    public func droppingByteSuffix(_ suffix: String) -> String {
        guard hasByteSuffix(suffix) else { return String(self) }
        return String(decoding: utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }

    /// Whether the text contains `byte`, an ASCII character.
    @inlinable
    public func hasByte(_ byte: UInt8) -> Bool {
        utf8.contains(byte)
    }

    /// Splits the text at each `separator`, an ASCII character. Empty parts are left out.
    public func split(atByte separator: UInt8) -> [String] {
        utf8.split(separator: separator).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The text with every occurrence of an ASCII character replaced.
    public func replacing(byte: UInt8, with replacement: String) -> String {
        guard hasByte(byte) else { return String(self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count + 16)
        for next in utf8 {
            if next == byte { bytes.append(contentsOf: replacement.utf8) } else { bytes.append(next) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
