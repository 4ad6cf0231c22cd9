import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Forms, as values (rule FI-30)")
struct MultipartFormTests {
    private static func parse(_ text: String, boundary: String = "B") throws -> [String] {
        try parts(Array(text.utf8), boundary: boundary).map { $0.name + "=" + String(decoding: $0.content, as: UTF8.self) }
    }

    private static func parts(
        _ body: [UInt8], boundary: String
    ) throws -> [(name: String, content: ArraySlice<UInt8>)] {
        var form = try MultipartForm(body, boundary: boundary)
        var parts: [(name: String, content: ArraySlice<UInt8>)] = []
        while let name = try form.next() { parts.append((name, try form.content())) }
        return parts
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
                try Self.parts(Array(bytes[..<length]), boundary: "B")
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
            guard let parts = try? Self.parts(body, boundary: "B") else { continue }
            forms += 1
            #expect(parts.count <= MultipartForm.maximumParts)
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

    @Test("Lines of heads that end around the limit of a head are read or refused, and nothing traps", arguments: 4_080...4_110)
    func headLimits(length: Int) {
        let line = String(repeating: "a", count: length)
        for head in [
            line + "\r\nContent-Disposition: form-data; name=\"x\"", "Content-Disposition: form-data; name=\"x\"\r\n" + line,
            line + "\r", line + "\n", "\r" + line, line,
        ] {
            for rest in ["\r\n\r\nv\r\n--B--\r\n", "\r\n", "\r", ""] {
                let text = "--B\r\n" + head + rest + String(repeating: "b", count: 6_000)
                let found = try? Self.parse(text)
                #expect(found == nil || found == ["x=v"])
            }
        }
    }

    @Test("A boundary with a control character is none", arguments: ["a\rb", "a\nb", "\u{0}", "a\u{7F}"])
    func controls(boundary: String) {
        #expect(throws: MultipartForm.Malformed.self) { try Self.parse("--\(boundary)--", boundary: boundary) }
    }

    @Test("A form of delimiters that lack their last byte is read once, whatever they overlap with")
    func nearDelimiters() throws {
        let boundary = String(repeating: "a", count: 69)
        for near in [
            "\r\n--" + String(repeating: "a", count: 68), String(repeating: "a", count: 75), "\r\n--", "\r", "\r\n\r\n--a",
        ] {
            let content = String(repeating: near, count: 200_000 / near.utf8.count)
            let text =
                "--\(boundary)\r\nContent-Disposition: form-data; name=f\r\n\r\n\(content)\r\n--\(boundary)--"
            #expect(try Self.parse(text, boundary: boundary) == ["f=" + content])
        }
    }
}

@Suite("Forms of uploads, as values (rules FI-30 and FI-31)")
struct UploadFormTests {
    private static func form(_ fields: [(String, String)], _ rest: String) -> [UInt8] {
        Array(
            (fields.map { "--B\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n" }.joined() + rest).utf8)
    }

    private static let file = "--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhello\r\n--B--"
    private static let signed = [("Policy", "p"), ("Signature", "s")]

    @Test("The fields in front of the file are read without the file")
    func fields() throws {
        let form = try UploadForm(Self.form([("key", "k")] + Self.signed, Self.file), boundary: "B")
        let file = Array(try form.file())
        #expect(form.policy == "p" && form.signature == "s" && file == Array("hello".utf8))
        // What comes behind the file has to be a form, too, and is not used.
        let more =
            "--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n1\r\n"
            + String(decoding: Self.form([("Policy", "q")], "--B--"), as: UTF8.self)
        let behind = try UploadForm(Self.form(Self.signed, more), boundary: "B")
        let first = Array(try behind.file())
        #expect(behind.policy == "p" && first == Array("1".utf8))
        // Of fields with the same name the first one counts.
        #expect(try UploadForm(Self.form(Self.signed + [("Policy", "q")], Self.file), boundary: "B").policy == "p")
        let unfinished = try UploadForm(
            Self.form(Self.signed, "--B\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nx"), boundary: "B")
        #expect(throws: MultipartForm.Malformed.self) { try unfinished.file() }
    }

    // Proof of FI-30, FI-31.
    @Test("A file in front of its policy, no file, and fields of more than 16 KiB are refused before the file is read")
    func refused() {
        let long = String(repeating: "x", count: UploadForm.maximumFieldBytes)
        let lines = String(repeating: "\r\n", count: UploadForm.maximumFieldBytes / 2)
        for body in [
            Self.form([], Self.file), Self.form([("Policy", "p")], Self.file), Self.form([("Signature", "s")], Self.file),
            Self.form(Self.signed, "--B--"), Self.form([("a", long)] + Self.signed, Self.file),
            Array(long.utf8) + Array("\r\n".utf8) + Self.form(Self.signed, Self.file),
            Array(lines.utf8) + Self.form(Self.signed, Self.file), Self.form([("a", lines)] + Self.signed, Self.file),
        ] {
            #expect(throws: MultipartForm.Malformed.self) { try UploadForm(body, boundary: "B") }
        }
        let fitting = String(repeating: "x", count: UploadForm.maximumFieldBytes - 512)
        #expect(throws: Never.self) { try UploadForm(Self.form([("a", fitting)] + Self.signed, Self.file), boundary: "B") }
    }
}
