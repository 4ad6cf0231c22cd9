import Testing

@testable import ServerRuntime

@Suite("The request line of a head that is too large (SV-9)")
struct RequestLineTests {
    private func line(_ pieces: [some Sequence<UInt8>]) -> RequestLine {
        var line = RequestLine()
        for piece in pieces { line.note(piece) }
        return line
    }

    @Test("The target is measured alone, however the bytes come")
    func pieces() {
        let text = Array("\r\nGET /v2/a?b=c HTTP/1.1\r\nHost: /other\r\n\r\n".utf8)
        for split in 0...text.count {
            let line = line([text[..<split], text[split...]])
            #expect(line.targetBytes == 9 && line.start == Array("/v2/a?b=c".utf8) && !line.isTooLong)
        }
        #expect(line(text.map { [$0] }) == line([text]))
    }

    @Test("A target is too long from the first byte beyond the limit on, and only its beginning is kept")
    func bound() {
        for (length, isTooLong) in [(RequestTarget.maximumBytes, false), (RequestTarget.maximumBytes + 1, true)] {
            let line = line([Array("DELETE /\(String(repeating: "x", count: length - 1))".utf8)])
            #expect(line.targetBytes == length && line.isTooLong == isTooLong && line.start.count == RequestLine.keptBytes)
        }
        // Long fields are another matter.
        #expect(!line([Array("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 100_000))".utf8)]).isTooLong)
        #expect(!line([Array("\(String(repeating: "x", count: 100_000))\r\n / x".utf8)]).isTooLong)
    }
}
