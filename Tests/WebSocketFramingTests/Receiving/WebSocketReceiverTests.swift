import NIOCore
import Testing

@testable import WebSocketFraming

@Suite struct WebSocketReceiverTests {
    @Test func `The examples of RFC 6455, 5_7, are understood`() {
        let hello = Array("Hello".utf8)
        #expect(events([[0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]]) == [.text("Hello")])
        #expect(
            events([[0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]], role: .server) == [.text("Hello")])
        #expect(events([[0x01, 0x03, 0x48, 0x65, 0x6C], [0x80, 0x02, 0x6C, 0x6F]]) == [.text("Hello")])
        #expect(events([[0x89, 0x05] + hello]) == [.ping(hello)])
        #expect(
            events([[0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]], role: .server) == [.pong(hello)])
        let long = [UInt8](repeating: 7, count: 256)
        #expect(events([[0x82, 0x7E, 0x01, 0x00] + long]) == [.binary(long)])
        let longer = [UInt8](repeating: 7, count: 65536)
        #expect(events([[0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + longer]) == [.binary(longer)])
    }

    @Test func `A message in one unmasked frame is handed out where it lies`() throws {
        var buffer = ByteBuffer(bytes: frame(1, [65, 66]))
        let address = buffer.withUnsafeReadableBytes { $0.baseAddress.map { UInt(bitPattern: $0) + 2 } }
        var receiver = WebSocketReceiver(role: .client)
        var seen: UInt?
        try receiver.receive(&buffer) { event in
            if case .text(let bytes) = event { seen = bytes.baseAddress.map { UInt(bitPattern: $0) } }
        }
        #expect(seen == address)
    }

    @Test func `Unmasking leaves a shared read buffer alone`() throws {
        let original = ByteBuffer(bytes: frame(2, [1, 2, 3, 4, 5], mask: [9, 8, 7, 6]))
        var copy = original
        var receiver = WebSocketReceiver(role: .server)
        try receiver.receive(&copy) { #expect(RecordedEvent($0) == .binary([1, 2, 3, 4, 5])) }
        #expect(Array(original.readableBytesView) == frame(2, [1, 2, 3, 4, 5], mask: [9, 8, 7, 6]))
    }

    @Test func `Control frames may come between fragments`() {
        let bytes = frame(1, [65], final: false) + frame(9, [1]) + frame(0, [], final: false) + frame(10) + frame(0, [66])
        #expect(events([bytes]) == [.ping([1]), .pong([]), .text("AB")])
    }

    @Test func `A character may be spread over fragments`() {
        let bytes = frame(1, [0xE2], final: false) + frame(0, [0x82], final: false) + frame(9) + frame(0, [0xAC])
        #expect(events([bytes]) == [.ping([]), .text("€")])
    }

    @Test func `Empty messages are messages`() {
        #expect(events([frame(1) + frame(2)]) == [.text(""), .binary([])])
        #expect(events([frame(1, final: false) + frame(0)]) == [.text("")])
        #expect(events([frame(1, mask: [1, 2, 3, 4])], role: .server) == [.text("")])
    }

    @Test func `A close frame is the last event`() {
        let reason = Array("é".utf8)
        #expect(events([frame(8, [0x0F, 0xA0] + reason) + frame(1, [65]), frame(1)]) == [.close(4000, reason)])
        #expect(events([frame(8)]) == [.close(nil, [])])
        for code in [1000, 1003, 1007, 1014, 3000, 4999] {
            #expect(events([frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)])]) == [.close(UInt16(code), [])])
        }
    }

    @Test func `The limit counts all fragments of a message and starts anew with the next`() {
        let limits = WebSocketLimits(messageBytes: 4, fragments: 3)
        #expect(events([frame(2, [1, 2, 3, 4]) + frame(2, [1, 2, 3, 4])], limits: limits).count == 2)
        let exact = frame(2, [1, 2], final: false) + frame(0, [3, 4])
        #expect(events([exact + exact], limits: limits) == [.binary([1, 2, 3, 4]), .binary([1, 2, 3, 4])])
        #expect(
            events([frame(2, [1, 2], final: false) + frame(0, [3, 4, 5])], limits: limits) == [.violation(.messageTooBig)])
        #expect(events([frame(2, length: 5)], limits: limits) == [.violation(.messageTooBig)])
        let many = frame(2, final: false) + frame(0, final: false) + frame(0, final: false) + frame(0, final: false)
        #expect(events([many], limits: limits) == [.violation(.tooManyFragments)])
        let singles = Array(repeating: frame(2), count: 10).flatMap { $0 }
        #expect(events([singles], limits: limits).count == 10)
    }

    @Test func `A partial message is known as such, from its first byte to its last`() {
        var receiver = WebSocketReceiver(role: .client)
        let bytes = frame(1, [65, 66], final: false) + frame(0, [67])
        #expect(!receiver.hasPartialMessage)
        for byte in bytes.dropLast() {
            #expect(events([[byte]], &receiver).isEmpty)
            #expect(receiver.hasPartialMessage)
        }
        #expect(events([[67]], &receiver) == [.text("ABC")])
        #expect(!receiver.hasPartialMessage)
    }

    @Test func `A receiver between messages is small, because a server has many idle connections`() {
        #expect(MemoryLayout<WebSocketReceiver>.size <= 40)
    }

    @Test func `Fragments are counted for each message anew, with and without memory that is kept between messages`() {
        let message = frame(2, [1], final: false) + frame(0, [2], final: false) + frame(0, [3])
        for keptBytes in [0, 64] {
            var receiver = WebSocketReceiver(
                role: .client, limits: WebSocketLimits(messageBytes: 3, fragments: 3, keptBytes: keptBytes))
            for bytes in [message, frame(2, [4]), message + frame(9) + frame(2, [4]) + message] {
                for byte in bytes.dropLast() { _ = events([[byte]], &receiver) }
                #expect(events([[3]], &receiver).count == 1, "\(keptBytes)")
                #expect(!receiver.hasPartialMessage)
            }
        }
    }
}
