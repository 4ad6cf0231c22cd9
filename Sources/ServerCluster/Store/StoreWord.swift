import NIOCore

/// The full name of a collection, or of a single value, in the store of a cluster. ``ClusterReader/key(_:)`` makes it. Names are compared
/// by their bytes (rule HB-11).
package struct StoreKey: Hashable, Sendable {
    package let name: String

    package init(_ name: String) { self.name = name }

    package static func == (one: StoreKey, other: StoreKey) -> Bool { one.name.utf8.elementsEqual(other.name.utf8) }

    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
    }

    /// The name of the map with one field for each node that has announced itself.
    static let nodes = "nodes"
    /// The name of a value that exists while the services of the next leader still have to report a loss of data.
    static let loss = "loss"
}

extension StoreKey: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) { self.init(name) }
}

/// A field's name, a member or a value of a collection: any bytes. Texts are compared by their bytes (rule HB-11).
package enum StoreWord: Hashable, Sendable {
    case text(String)
    case bytes(ByteBuffer)
    /// A number that is stored as its decimal digits.
    case integer(Int64)

    /// The number of bytes of a text or buffer; for an integer, an approximation.
    var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.readableBytes
        case .integer: 20
        }
    }

    package static func == (one: StoreWord, other: StoreWord) -> Bool {
        switch (one, other) {
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.bytes(let one), .bytes(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .bytes(let bytes): hasher.combine(bytes)
        case .integer(let number): hasher.combine(number)
        }
    }
}

extension StoreWord: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
}

/// A field of a map or of a stream's entry, with its value.
package struct StoreField: Hashable, Sendable {
    package var name: StoreWord
    package var value: StoreWord

    package init(_ name: StoreWord, _ value: StoreWord) {
        self.name = name
        self.value = value
    }

    var cost: Int { name.count + value.count + 32 }
}
