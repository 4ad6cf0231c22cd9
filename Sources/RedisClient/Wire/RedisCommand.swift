import NIOCore

/// One argument of a command. It may contain any bytes.
package enum RedisArgument: Hashable, Sendable {
    case text(String)
    case bytes(ByteBuffer)
    case integer(Int64)

    /// The number of bytes of the argument on the wire, without its framing.
    package var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.readableBytes
        case .integer(let number): String(number).utf8.count
        }
    }
}

extension RedisArgument: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int64) { self = .integer(number) }
}

/// A command: its name and its arguments. Descriptions show the name only, because arguments can be passwords and messages.
package struct RedisCommand: Hashable, Sendable {
    package var name: String
    package var arguments: [RedisArgument]

    package init(_ name: String, _ arguments: [RedisArgument] = []) {
        self.name = name
        self.arguments = arguments
    }

    package init(_ name: String, _ arguments: RedisArgument...) {
        self.init(name, arguments)
    }

    /// The approximate number of bytes of the command on the wire.
    package var cost: Int { arguments.reduce(name.utf8.count + 16) { $0 + $1.count + 16 } }

    /// CR and LF.
    private static let lineEnd: UInt16 = 0x0D0A

    /// Appends the command in the form for servers: an array of bulk strings.
    package func write(to buffer: inout ByteBuffer) {
        Self.write(UInt8(ascii: "*"), arguments.count + 1, to: &buffer)
        Self.write(name, to: &buffer)
        for argument in arguments {
            switch argument {
            case .text(let text): Self.write(text, to: &buffer)
            case .integer(let number): Self.write(String(number), to: &buffer)
            case .bytes(let bytes):
                Self.write(UInt8(ascii: "$"), bytes.readableBytes, to: &buffer)
                buffer.writeImmutableBuffer(bytes)
                buffer.writeInteger(Self.lineEnd)
            }
        }
    }

    private static func write(_ text: String, to buffer: inout ByteBuffer) {
        write(UInt8(ascii: "$"), text.utf8.count, to: &buffer)
        buffer.writeString(text)
        buffer.writeInteger(lineEnd)
    }

    /// Writes the type and count in front of an array or a string. The parts are written separately, because a joined text would be
    /// allocated.
    private static func write(_ type: UInt8, _ count: Int, to buffer: inout ByteBuffer) {
        buffer.writeInteger(type)
        buffer.writeString(String(count))
        buffer.writeInteger(lineEnd)
    }
}

extension RedisCommand: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(name) with \(arguments.count) arguments" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
