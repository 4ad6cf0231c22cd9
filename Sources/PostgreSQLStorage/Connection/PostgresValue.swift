import Identifiers

/// A parameter of a statement, in the binary format of PostgreSQL's protocol.
///
/// Names and texts are sent as `bytea`, because PostgreSQL's `text` refuses the character NUL and compares by the collation of the
/// database.
enum PostgresValue: Hashable, Sendable {
    case integer(Int64?)
    case bytes([UInt8]?)
    case integers([Int64])
    case byteArrays([[UInt8]])

    static func text(_ text: String?) -> PostgresValue { .bytes(text.map { Array($0.utf8) }) }
    static func name(_ name: Identifier?) -> PostgresValue { .bytes(name.map { Array($0.utf8) }) }
    static func names(_ names: some Sequence<Identifier>) -> PostgresValue { .byteArrays(names.map { Array($0.utf8) }) }
    /// Converts a value to a signed integer. Values above 2^63 - 1, which timetokens and ids never reach, become 2^63 - 1.
    static func clamped(_ value: UInt64?) -> PostgresValue { .integer(value.map { Int64(clamping: $0) }) }
    static func bits(_ value: UInt64?) -> PostgresValue { .integer(value.map { Int64(bitPattern: $0) }) }

    /// The object id of the value's type in PostgreSQL's catalog: `int8`, `bytea` or an array of them.
    var type: UInt32 {
        switch self {
        case .integer: Self.integerType
        case .bytes: Self.bytesType
        case .integers: 1016
        case .byteArrays: 1001
        }
    }

    private static let integerType: UInt32 = 20
    private static let bytesType: UInt32 = 17

    /// The value's bytes in PostgreSQL's protocol; nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .integer(let value): value.map { Self.bigEndian($0) }
        case .bytes(let bytes): bytes
        case .integers(let values): Self.array(values, of: Self.integerType) { Self.bigEndian($0) }
        case .byteArrays(let values): Self.array(values, of: Self.bytesType) { $0 }
        }
    }

    /// The approximate memory of the value in bytes.
    var size: Int {
        switch self {
        case .integer: 8
        case .bytes(let bytes): bytes?.count ?? 0
        case .integers(let values): 12 * values.count
        case .byteArrays(let values): values.reduce(0) { $0 + $1.count + 4 }
        }
    }

    /// Encodes an array of one dimension without NULL: the number of dimensions, a flag, the type of the elements, the length, the first
    /// index, and the elements.
    private static func array<Element>(_ values: [Element], of type: UInt32, _ encode: (Element) -> [UInt8]) -> [UInt8] {
        guard !values.isEmpty else { return bigEndian(Int32(0)) + bigEndian(Int32(0)) + bigEndian(type) }
        var bytes = bigEndian(Int32(1)) + bigEndian(Int32(0)) + bigEndian(type)
        bytes += bigEndian(Int32(clamping: values.count)) + bigEndian(Int32(1))
        for value in values {
            let element = encode(value)
            bytes += bigEndian(Int32(clamping: element.count))
            bytes += element
        }
        return bytes
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// A statement with its parameters. Each distinct text is prepared once for each connection, so a text must not contain values.
struct PostgresStatement: Hashable, Sendable {
    var sql: String
    var values: [PostgresValue]

    /// The statement's text as an identifier, which is compared by its bytes.
    var key: Identifier { Identifier(sql) }

    init(_ sql: String, _ values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }
}
