import ServerStorage

/// Encodes rows as bytes that sort in the order of the rows, for an index that compares bytes. A pure value.
enum RowCoding {
    private enum Mark {
        static let null: UInt8 = 0
        static let integer: UInt8 = 1
        static let bytes: UInt8 = 2
    }

    /// Encodes a row. In a text or blob each zero byte is followed by 0xFF, and two zero bytes mark the end of the value. So no encoded
    /// value is a prefix of another encoded value, and a text sorts before longer texts that begin with it.
    static func encode(_ row: some Sequence<StoredValue>) -> [UInt8] {
        var code: [UInt8] = []
        for value in row {
            switch value {
            case .null: code.append(Mark.null)
            case .integer(let number):
                code.append(Mark.integer)
                // The sign bit is inverted, so that negative numbers sort first.
                let ordered = UInt64(bitPattern: number) ^ (1 << 63)
                withUnsafeBytes(of: ordered.bigEndian) { code.append(contentsOf: $0) }
            case .bytes(let bytes):
                code.append(Mark.bytes)
                if bytes.contains(0) {
                    for byte in bytes {
                        code.append(byte)
                        if byte == 0 { code.append(0xFF) }
                    }
                } else {
                    code.append(contentsOf: bytes)
                }
                code += [0, 0]
            }
        }
        return code
    }

    /// The values of an encoded row; nil for bytes that are not an encoded row.
    static func decode(_ code: [UInt8]) -> StoredRow? {
        var row: StoredRow = []
        var rest = code[...]
        while let mark = rest.popFirst() {
            switch mark {
            case Mark.null: row.append(.null)
            case Mark.integer:
                guard rest.count >= 8 else { return nil }
                let ordered = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                row.append(.integer(Int64(bitPattern: ordered ^ (1 << 63))))
                rest = rest.dropFirst(8)
            case Mark.bytes:
                guard let bytes = bytes(&rest) else { return nil }
                row.append(.bytes(bytes))
            default: return nil
            }
        }
        return row
    }

    private static func bytes(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        while let zero = rest.firstIndex(of: 0) {
            bytes.append(contentsOf: rest[..<zero])
            rest = rest[zero...].dropFirst()
            switch rest.popFirst() {
            case 0: return bytes
            case 0xFF: bytes.append(0)
            default: return nil
            }
        }
        return nil
    }
}
