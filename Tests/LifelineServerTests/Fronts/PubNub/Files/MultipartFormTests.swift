import Testing

@testable import PubNubServer

@Suite("Forms, as values (rule FI-30)")
struct MultipartFormTests {
    private static func parse(_ text: String, boundary: String = "B") throws -> [String] {
        try MultipartForm(Array(text.utf8), boundary: boundary).parts.map {
            $0.name + "=" + String(decoding: $0.content, as: UTF8.self)
        }
    }

    private static func part(_ head: String, _ content: String) -> String { "--B\r\n\(head)\r\n\r\n\(content)\r\n" }

    @Test(
        "Forms as clients write them",
        arguments: [
            ("--B--", []), ("--B--\r\n", []), ("preamble\r\n--B--epilogue", []),
            (part(#"Content-Disposition: form-data; name="a""#, "1") + "--B--", ["a=1"]),
            (part(#"content-disposition:form-data;name=a"#, "") + "--B--", ["a="]),
            ("--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--B--", ["a="]),
            (
                part(#"Content-Disposition: form-data; name="a""#, "1") + part(#"Content-Disposition: form-data; name="b""#, "2")
                    + "--B--\r\n", ["a=1", "b=2"]
            ),
            (
                part(
                    "Content-Type: image/png\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a;name=\\\"b.png\"", "x"
                )
                    + "--B--", ["file=x"]
            ),
            (
                part(#"Content-Disposition: form-data; filename="x"; name="a""#, "\r\n--b\r\n-- B\r\n--\r\n") + "--B--",
                ["a=\r\n--b\r\n-- B\r\n--\r\n"]
            ),
            ("--B \t\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B--", ["a=1"]),
            (part(#"Content-Disposition: form-data; name="a\"\\b""#, "1") + "--B--", [#"a"\b=1"#]),
        ])
    func accepted(text: String, parts: [String]) throws {
        #expect(try Self.parse(text) == parts)
    }

    @Test(
        "What is no form, or has no end",
        arguments: [
            "", "--", "--B", "--B\r\n", "--C--", "x--B--", "--B\r\n\r\n1\r\n--B--", "--Bx\r\n", "--B\n--B--",
            part("Content-Disposition: form-data", "1") + "--B--",
            part(#"Content-Disposition: attachment; name="a""#, "1") + "--B--",
            part(#"Content-Disposition: form-data; name="a"; name="b""#, "1") + "--B--",
            part("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b", "1") + "--B--",
            part(#"Content-Disposition: form-data; name="a""#, "1"),
            part(#"Content-Disposition: form-data; name="a""#, "1") + "--B",
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n--B--",
            part("X: " + String(repeating: "x", count: 5000) + "\r\nContent-Disposition: form-data; name=a", "1") + "--B--",
            String(repeating: part("Content-Disposition: form-data; name=a", "1"), count: 33) + "--B--",
        ])
    func refused(text: String) {
        #expect(throws: MultipartForm.Malformed.self) { try Self.parse(text) }
    }

    @Test("A form that is cut anywhere is refused, and none of its bytes makes another form of it")
    func cut() throws {
        let whole =
            Self.part(#"Content-Disposition: form-data; name="a""#, "1")
            + Self.part("Content-Disposition: form-data; name=f", "\r\n--\r\n") + "--B--"
        #expect(try Self.parse(whole) == ["a=1", "f=\r\n--\r\n"])
        let bytes = Array(whole.utf8)
        for length in bytes.indices {
            #expect(throws: MultipartForm.Malformed.self, "\(length)") {
                try MultipartForm(Array(bytes[..<length]), boundary: "B")
            }
        }
    }

    @Test("Content is found whole wherever the boundary's beginning is repeated in it")
    func repetition() throws {
        for filler in ["\r\n--aab", "\r\n--aaa", "\r", "\r\n", "-", "a", "\r\n--aabaab", "\u{0}\u{FF}"] {
            for count in [1, 2, 7, 300] {
                let content = String(repeating: filler, count: count)
                let text = "--aabaaX\r\nContent-Disposition: form-data; name=f\r\n\r\n\(content)\r\n--aabaaX--"
                #expect(try Self.parse(text, boundary: "aabaaX") == ["f=" + content])
            }
        }
    }

    @Test("Bytes without sense never end the parser, and what is random is no form")
    func random() {
        var random = FuzzRandom(seed: 7)
        let pieces: [[UInt8]] = ["--B", "\r\n", "--", "Content-Disposition: form-data; name=a", "\r\n\r\n", "x", "\"", ";"].map {
            Array($0.utf8)
        }
        var forms = 0
        for _ in 0..<20_000 {
            let body = (0..<Int.random(in: 0..<12, using: &random)).flatMap { _ in pieces.randomElement(using: &random) ?? [] }
            guard let form = try? MultipartForm(body, boundary: "B") else { continue }
            forms += 1
            #expect(form.parts.count <= MultipartForm.maximumParts)
        }
        #expect(forms > 100)
    }

    @Test(
        "Boundaries",
        arguments: [
            ("multipart/form-data; boundary=B", "B"), ("Multipart/Form-Data;charset=utf-8;BOUNDARY=\"a b\"", "a b"),
            ("multipart/form-data", nil), ("multipart/mixed; boundary=B", nil), ("text/plain", nil), ("", nil),
            ("multipart/form-data; boundary=a; boundary=b", nil),
        ])
    func boundaries(type: String, boundary: String?) {
        #expect(MultipartForm.boundary(of: type) == boundary)
    }

    @Test("A boundary has 1 to 70 bytes")
    func boundaryLengths() {
        for count in [0, 71] {
            let boundary = String(repeating: "b", count: count)
            #expect(throws: MultipartForm.Malformed.self) { try Self.parse("--\(boundary)--", boundary: boundary) }
        }
        #expect(throws: Never.self) {
            try Self.parse("--" + String(repeating: "b", count: 70) + "--", boundary: String(repeating: "b", count: 70))
        }
    }
}
