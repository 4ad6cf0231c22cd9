import Testing

@testable import ServerRuntime

@Suite("Plain requests (PV-3)")
struct PlainRequestHeadTests {
    private func read(_ text: String) -> PlainRequestHead.Outcome {
        var text = text
        return text.withUTF8 { PlainRequestHead.read(UnsafeRawBufferPointer($0)) }
    }

    @Test("Every piece of a plain request is incomplete, and the whole is read with its length")
    func pieces() throws {
        let text = "GET /time/0?a=b HTTP/1.1\r\nHost: a\r\nAccept: */*\r\nConnection: Keep-Alive\r\n\r\n"
        for length in 0..<text.utf8.count {
            let piece = String(decoding: text.utf8.prefix(length), as: UTF8.self)
            #expect(read(piece) == .incomplete, "\(length) bytes")
        }
        let whole = PlainRequestHead.Outcome.complete(
            PlainRequestHead(target: 4..<15, length: text.utf8.count, isKeepAlive: true))
        #expect(read(text) == whole)
        #expect(read(text + "GET /next") == whole)
    }

    @Test("A connection that is to be closed is noticed in any case of letters")
    func close() {
        for value in ["close", "Close", " CLOSE "] {
            guard case .complete(let head) = read("GET / HTTP/1.1\r\nHost: a\r\nconnection:\(value)\r\n\r\n") else {
                Issue.record("\(value) is not read")
                continue
            }
            #expect(!head.isKeepAlive)
        }
    }

    @Test("The page that asks is found in any case of letters, and nothing else is taken for it")
    func origin() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        for field in ["Origin: https://a.example", "ORIGIN:https://a.example  "] {
            let text = start + field + "\r\n\r\n"
            guard case .complete(let head) = read(text), let origin = head.origin else {
                Issue.record("\(field) is not found")
                continue
            }
            #expect(Array(text.utf8)[origin].elementsEqual("https://a.example".utf8))
        }
        for field in ["Origins: a", "Origen: a", "X-Origin: a"] {
            guard case .complete(let head) = read(start + field + "\r\n\r\n") else { continue }
            #expect(head.origin == nil)
        }
    }

    @Test(
        "Everything else is left to the library's parser",
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\n\r\n",
            "GET /\r\nHost: a\r\n\r\n", "GET / HT\r\n",
            "get / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket, h2c\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n\r\n",
            "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nA: b\n\r\n", "GET / HTTP/1.1\nHost: a\r\nA: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nA: \u{0}\r\n\r\n",
            "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            // Who is asked is said once, and in a form that the library's path judges (SV-47).
            "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\nhOST: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a,b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a/\r\n\r\n", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "GET / HTTP/1.1\r\nHosts: a\r\n\r\n",
        ])
    func unusual(_ text: String) {
        #expect(read(text) == .unusual)
    }

    @Test(
        "A host may be empty, have a port, and be named in any case of letters",
        arguments: ["Host:", "HOST:a:80 ", "host: [::1]:8080"])
    func host(_ field: String) {
        let text = "GET / HTTP/1.1\r\n\(field)\r\n\r\n"
        #expect(read(text) == .complete(PlainRequestHead(target: 4..<5, length: text.utf8.count, isKeepAlive: true)))
    }

    @Test("Every piece of a handshake is incomplete, and the whole is found with its fields")
    func handshake() {
        let line = "GET /app/key HTTP/1.1\r\n"
        let fields = "Host: a\r\nUPGRADE: WebSocket \r\nConnection: keep-alive, Upgrade\r\nEmpty:\r\nX-Two:  a: b\r\n"
        let text = line + fields + "\r\n"
        for length in 0..<text.utf8.count {
            #expect(read(String(decoding: text.utf8.prefix(length), as: UTF8.self)) == .incomplete, "\(length) bytes")
        }
        let range = line.utf8.count..<(line.utf8.count + fields.utf8.count)
        let head = PlainRequestHead(target: 4..<12, length: text.utf8.count, isKeepAlive: true)
        #expect(read(text) == .handshake(head, fields: range))
        #expect(read(text + "\u{81}") == .handshake(head, fields: range))
        let found = Array(text.utf8).withUnsafeBytes { PlainRequestHead.fields($0, in: range) }
        #expect(found.map(\.name) == ["Host", "UPGRADE", "Connection", "Empty", "X-Two"])
        #expect(found.map(\.value) == ["a", "WebSocket", "keep-alive, Upgrade", "", "a: b"])
    }

    @Test("Too many or too long fields are not plain")
    func limits() {
        #expect(read("GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 65))\r\n") == .unusual)
        #expect(read("GET / HTTP/1.1\r\nA: \(String(repeating: "b", count: 8200))") == .unusual)
        #expect(read("GET /\(String(repeating: "b", count: 49_152))") == .unusual)
    }
}
