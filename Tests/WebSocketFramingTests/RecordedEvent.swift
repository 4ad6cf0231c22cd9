import NIOCore

@testable import WebSocketFraming

/// What a receiver reported, in a form that can be compared.
enum RecordedEvent: Equatable {
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16?, [UInt8])
    case violation(WebSocketViolation)

    init(_ event: WebSocketEvent) {
        switch event {
        case .text(let bytes): self = .text(Array(bytes))
        case .binary(let bytes): self = .binary(Array(bytes))
        case .ping(let bytes): self = .ping(Array(bytes))
        case .pong(let bytes): self = .pong(Array(bytes))
        case .close(let code, let reason): self = .close(code?.rawValue, Array(reason))
        }
    }

    static func text(_ text: String) -> RecordedEvent { .text(Array(text.utf8)) }
}

/// Feeds `pieces` one after the other and returns everything that was reported.
func events(
    _ pieces: [[UInt8]], role: WebSocketRole = .client, limits: WebSocketLimits = WebSocketLimits()
) -> [RecordedEvent] {
    var receiver = WebSocketReceiver(role: role, limits: limits)
    return events(pieces, &receiver)
}

func events(_ pieces: [[UInt8]], _ receiver: inout WebSocketReceiver) -> [RecordedEvent] {
    var found: [RecordedEvent] = []
    for piece in pieces {
        var buffer = ByteBuffer(bytes: piece)
        do {
            try receiver.receive(&buffer) { found.append(RecordedEvent($0)) }
        } catch {
            found.append(.violation(error))
        }
        if buffer.readableBytes > 0 { found.append(.text("bytes were left over")) }
    }
    return found
}

/// One frame as bytes, however wrong.
func frame(
    _ opcode: UInt8, _ payload: [UInt8] = [], final: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = nil, length: Int? = nil
) -> [UInt8] {
    let count = length ?? payload.count
    let bit: UInt8 = mask == nil ? 0 : 0x80
    var bytes: [UInt8] = [(final ? 0x80 : 0) | reserved << 4 | opcode]
    if count < 126 {
        bytes.append(bit | UInt8(count))
    } else if count < 65536 {
        bytes += [bit | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
    } else {
        bytes.append(bit | 127)
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    guard let mask else { return bytes + payload }
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
}
