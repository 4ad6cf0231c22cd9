import Testing

@testable import ServerRuntime

@Suite("The request line of a head that is too large (SV-9)")
struct RequestLineTrackerTests {
    private func line(_ pieces: [some Collection<UInt8>]) -> RequestLineTracker {
        var line = RequestLineTracker()
        for piece in pieces { Array(piece).withUnsafeBytes { line.note($0) } }
        return line
    }

    @Test("The target is measured alone, however the bytes come")
    func pieces() {
        let text = Array("\r\nGET /v2/a?b=c HTTP/1.1".utf8)
        for split in 0...text.count {
            let line = line([text[..<split], text[split...]])
            #expect(line.targetBytes == 9 && line.start == Array("/v2/a?b=c".utf8) && !line.isTooLong)
        }
        #expect(line(text.map { [$0] }) == line([text]))
    }

    @Test("The line that counts is the last one, also behind other requests, fields and bodies")
    func behind() {
        let before = ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\n\r\n{\"a\": 1}\n", "\r\n"]
        for before in before {
            let line = line([Array("\(before)PUT /v2/a".utf8), Array("bc".utf8)])
            #expect(line.targetBytes == 7 && line.start == Array("/v2/abc".utf8))
        }
        for other in ["Host: /a", "X-Long:/a", "{\"a\": 1}", "x /a", " /a", String(repeating: "A", count: 33) + " /a"] {
            #expect(line([Array("GET / HTTP/1.1\r\n\(other)".utf8)]).targetBytes == 0, "\(other)")
        }
    }

    @Test("A target is too long from the first byte beyond the limit on, and only its beginning is kept")
    func bound() {
        for (length, isTooLong) in [(RequestTarget.maximumBytes, false), (RequestTarget.maximumBytes + 1, true)] {
            let line = line([Array("DELETE /\(String(repeating: "x", count: length - 1))".utf8)])
            #expect(line.targetBytes == length && line.isTooLong == isTooLong && line.start.count == RequestLineTracker.keptBytes)
        }
        // Also when more lines came with it.
        let request = "GET /v2\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n"
        let long = line([Array("GET / HTTP/1.1\r\n\r\n\(request)".utf8)])
        #expect(long.isTooLong && long.start.starts(with: "/v2".utf8))
        // Long fields are another matter.
        #expect(!line([Array("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 100_000))".utf8)]).isTooLong)
        #expect(!line([Array("\(String(repeating: "x", count: 100_000))\r\n / x".utf8)]).isTooLong)
    }
}
