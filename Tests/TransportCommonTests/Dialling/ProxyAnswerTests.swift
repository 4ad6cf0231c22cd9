import NIOCore
import Testing

@testable import TransportCommon

/// Rule WT-16: what a proxy says to `CONNECT`.
@Suite struct ProxyAnswerTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n\r\n", 200), ("HTTP/1.0 200\r\n\r\n", 200), ("HTTP/1.1 407 No\r\nA: b\r\n\r\n", 407),
        ("HTTP/1.1 20 OK\r\n\r\n", nil), ("HTTP/1.1 2000 OK\r\n\r\n", nil), ("HTTP/1.x 200 OK\r\n\r\n", nil),
        ("HTTP/2.0 200 OK\r\n\r\n", nil), ("HTTP/1.1\t200 OK\r\n\r\n", nil), ("\r\n\r\n", nil), ("HTTP/1.1 200OK\r\n\r\n", nil),
    ])
    func `The status is read, and nothing else`(text: String, status: Int?) {
        var bytes = ByteBuffer(string: text + "rest")
        #expect(ProxyAnswer(&bytes)?.status == status)
        #expect(String(buffer: bytes) == "rest")
    }

    @Test func `A head that is not complete waits`() {
        let text = "HTTP/1.1 200 OK\r\nVia: x\r\n\r\n"
        for count in 0..<text.utf8.count {
            var bytes = ByteBuffer(bytes: text.utf8.prefix(count))
            #expect(ProxyAnswer(&bytes) == nil && ProxyAnswer.canBegin(with: bytes))
        }
    }

    @Test(arguments: [
        ("HTTP/1.", true), ("H", true), ("", true), ("SSH-2.0", false), ("http/1.1", false), ("\u{16}\u{3}", false),
    ])
    func `What cannot become an answer is known at once`(text: String, canBegin: Bool) {
        #expect(ProxyAnswer.canBegin(with: ByteBuffer(string: text)) == canBegin)
    }
}
