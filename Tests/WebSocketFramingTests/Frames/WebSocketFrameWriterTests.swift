import NIOCore
import Testing

@testable import WebSocketFraming

@Suite struct WebSocketFrameWriterTests {
    private func written(
        _ role: WebSocketRole, _ write: (inout WebSocketFrameWriter<TestRandom>, inout ByteBuffer) -> Void
    ) -> [UInt8] {
        var writer = WebSocketFrameWriter(role: role, random: TestRandom(state: 1))
        var buffer = ByteBuffer()
        write(&writer, &buffer)
        return Array(buffer.readableBytesView)
    }

    @Test func `A server writes the examples of RFC 6455, 5_7`() {
        #expect(written(.server) { $0.writeText("Hello", to: &$1) } == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])
        let long = [UInt8](repeating: 7, count: 256)
        #expect(
            written(.server) { writer, buffer in long.withUnsafeBytes { writer.writeBinary($0, to: &buffer) } }.prefix(4) == [
                0x82, 0x7E, 1, 0,
            ])
    }

    @Test(arguments: [0, 1, 3, 7, 8, 9, 125, 126, 127, 1000, 65535, 65536, 70001])
    func `What one end writes, the other reads`(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let limits = WebSocketLimits()
        for (sender, receiver) in [(WebSocketRole.client, WebSocketRole.server), (.server, .client)] {
            let bytes = written(sender) { writer, buffer in payload.withUnsafeBytes { writer.writeBinary($0, to: &buffer) } }
            #expect(events([bytes], role: receiver, limits: limits) == [.binary(payload)])
            #expect(events(bytes.map { [$0] }, role: receiver, limits: limits) == [.binary(payload)])
        }
    }

    @Test func `Each frame of a client has a mask of its own`() {
        let bytes = written(.client) { writer, buffer in
            for _ in 0..<3 { writer.writeText("", to: &buffer) }
        }
        let masks = stride(from: 0, to: 18, by: 6).map { Array(bytes[($0 + 2)..<($0 + 6)]) }
        #expect(Set(masks).count == 3)
    }

    @Test func `Control frames never exceed 125 bytes`() {
        let long = [UInt8](repeating: 1, count: 200)
        let ping = written(.server) { writer, buffer in long.withUnsafeBytes { writer.writePing($0, to: &buffer) } }
        #expect(events([ping]) == [.ping(Array(long.prefix(125)))])
        let close = written(.server) { $0.writeClose(.normal, reason: String(repeating: "€", count: 60), to: &$1) }
        #expect(events([close]) == [.close(1000, Array(String(repeating: "€", count: 41).utf8))])
    }

    @Test func `A code that may not travel gives an empty close frame`() {
        #expect(written(.server) { $0.writeClose(WebSocketCloseCode(rawValue: 1005), to: &$1) } == [0x88, 0])
        #expect(written(.server) { $0.writeClose(nil, to: &$1) } == [0x88, 0])
    }
}
