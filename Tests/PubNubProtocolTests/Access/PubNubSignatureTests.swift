import PubNubProtocol
import Testing

@Suite("Request signatures (rules PC-20 to PC-24)")
struct PubNubSignatureTests {
    static let timestamp = 1_577_840_400
    static let grantBody = Array(
        (#"{"ttl":15,"permissions":{"resources":{"channels":{"ch":3},"groups":{},"uuids":{},"users":{},"spaces":{}},"#
            + #""patterns":{"channels":{},"groups":{},"uuids":{},"users":{},"spaces":{}},"meta":{}}}"#).utf8)

    struct Vector: Sendable {
        var method: String
        var path: String
        var parameters: [(String, String)]
        var body: [UInt8] = []
        var signature: String

        var values: [PubNubRequest.Parameter] { parameters.map { PubNubRequest.Parameter($0.0, $0.1) } }

        func signed(at timestamp: Int = PubNubSignatureTests.timestamp) -> [PubNubRequest.Parameter] {
            PubNubSignature.signed(
                method: method, path: path, parameters: values, body: body, publishKey: "pub-key", subscribeKey: "sub-key",
                secretKey: "wMfbo9G0xVUG8yfTfYw5qIdfJkTd7A", timestamp: timestamp)
        }

        func check(
            _ parameters: [PubNubRequest.Parameter], method: String? = nil, path: String? = nil, body: [UInt8]? = nil,
            secretKey: String = "wMfbo9G0xVUG8yfTfYw5qIdfJkTd7A", now: Int = PubNubSignatureTests.timestamp
        ) throws(PubNubSignatureError) {
            try PubNubSignature.check(
                method: method ?? self.method, path: path ?? self.path, parameters: parameters, body: body ?? self.body,
                publishKey: "pub-key", subscribeKey: "sub-key", secretKeys: [secretKey], now: now)
        }
    }

    static let vectors = [
        Vector(
            method: "GET", path: "/v2/auth/grant/sub-key/sub-key",
            parameters: [
                ("uuid", "u*~1"), ("auth", "myAuth"), ("channel", "ch 1,ch!2"), ("pnsdk", "Test/1.0"), ("r", "1"),
                ("w", "0"), ("ttl", "1440"),
            ], signature: "v2.BYgK9lcPFSOMyy7Lcm77uPW-fpFt0pvzonF4m2fAFmA"),
        Vector(
            method: "POST", path: "/v3/pam/sub-key/grant", parameters: [("pnsdk", "Test/1.0"), ("uuid", "u")],
            body: grantBody, signature: "v2.SfcYHenNDELB4_b3enyAKte3KimKLVXFCuGh_GOUoWU"),
        Vector(
            method: "POST", path: "/publish/pub-key/sub-key/0/ch/0", parameters: [("uuid", "u"), ("pnsdk", "Test/1.0")],
            signature: "WXZ_ZR6j1s-CxFDWCLT_pzFy42Cly0jvY-Krz7YTSJE="),
    ]

    @Test("The three vectors come out, and pass the check", arguments: vectors.indices)
    func comesOut(index: Int) throws {
        let vector = Self.vectors[index]
        let signed = vector.signed()
        #expect(signed.last == PubNubRequest.Parameter("signature", vector.signature))
        try vector.check(signed.reversed())
    }

    @Test("The query is sorted, without the signature, and everything reserved is encoded")
    func query() {
        let parameters = [
            PubNubRequest.Parameter("b", "*!'()[]~ +é"), .init("signature", "x"), .init("a", ""), .init("B", "1"),
        ]
        #expect(PubNubSignature.query(parameters) == "B=1&a=&b=%2A%21%27%28%29%5B%5D%7E%20%2B%C3%A9")
    }

    @Test("Whatever was changed is refused", arguments: vectors.indices)
    func refusals(index: Int) {
        let vector = Self.vectors[index]
        let signed = vector.signed()
        #expect(throws: PubNubSignatureError.wrong) { try vector.check(signed, path: vector.path + "/") }
        #expect(throws: PubNubSignatureError.wrong) { try vector.check(signed, method: "DELETE") }
        #expect(throws: PubNubSignatureError.wrong) { try vector.check(signed, secretKey: "other") }
        #expect(throws: PubNubSignatureError.wrong) { try vector.check(signed + [.init("x", "y")]) }
        #expect(throws: PubNubSignatureError.missing) { try vector.check(signed.dropLast()) }
        if vector.signature.hasPrefix("v2.") {
            #expect(throws: PubNubSignatureError.wrong) { try vector.check(signed, body: vector.body + [32]) }
        }
    }

    @Test("A request may be a minute old or early, and no more")
    func window() {
        let vector = Self.vectors[0]
        let signed = vector.signed()
        for late in [-60, 60] { #expect(throws: Never.self) { try vector.check(signed, now: Self.timestamp + late) } }
        for now in [Self.timestamp - 61, Self.timestamp + 61, .min, .max] {
            #expect(throws: PubNubSignatureError.timestampOutOfRange) { try vector.check(signed, now: now) }
        }
        let unstamped = signed.filter { $0.name != "timestamp" }
        #expect(throws: PubNubSignatureError.timestampOutOfRange) { try vector.check(unstamped) }
        #expect(throws: PubNubSignatureError.timestampOutOfRange) {
            try vector.check(unstamped + [.init("timestamp", "soon")])
        }
    }

    /// Signed with the key `secret` by another program, in the forms that the C SDK 7.2 sends.
    @Test("Publishing by GET may be signed in the first form, and a query as it was sent, commas and brackets included (PC-23)")
    func asSent() throws {
        func check(_ path: String, _ query: String, _ signature: String, method: String = "GET") throws(PubNubSignatureError) {
            let parameters = (query + "&signature=" + signature).split(separator: "&").map { part in
                let name = part.prefix { $0 != "=" }
                return PubNubRequest.Parameter(String(name), String(part.dropFirst(name.utf8.count + 1)))
            }
            try PubNubSignature.check(
                method: method, path: path, parameters: parameters, rawQuery: "signature=\(signature)&" + query,
                publishKey: "p", subscribeKey: "s", secretKeys: ["other", "secret"], now: Self.timestamp)
        }
        let stamp = "timestamp=\(Self.timestamp)"
        let publish = "X7lUwj1Jbh6R_918_opVbz3iVHiaMvZNeNhu80bzD3g="
        try check("/publish/p/s/0/any/0/1", "uuid=a&pnsdk=x&" + stamp, publish)
        #expect(throws: PubNubSignatureError.wrong) { try check("/publish/p/s/0/any/0/2", "uuid=a&pnsdk=x&" + stamp, publish) }
        #expect(throws: PubNubSignatureError.wrong) {
            try check("/publish/p/s/0/any/0/1", "uuid=a&pnsdk=x&" + stamp, publish, method: "DELETE")
        }
        // The SDK for JavaScript signs a POST as GET without a body.
        let posted = "v2.K3Z-RAJZu89g2BXPp42rXEU1scZgEu6DikkQGoPPxMA"
        try check("/publish/p/s/0/c/0", "uuid=a&" + stamp, posted, method: "POST")
        #expect(throws: PubNubSignatureError.wrong) { try check("/signal/p/s/0/c/0", "uuid=a&" + stamp, posted, method: "POST") }
        #expect(throws: PubNubSignatureError.wrong) { try check("/publish/p/s/0/d/0", "uuid=a&" + stamp, posted, method: "POST") }
        let sent = "channel-group=g1,g2&filter-expr=a[0]~1&" + stamp
        let poll = "v2.VLHSVg4fwvDNu2tlrJoCx3xHqvYhYlLQ8CJtkI8L4ok"
        try check("/v2/subscribe/s/x/0", sent, poll)
        #expect(throws: PubNubSignatureError.wrong) {
            try check("/v2/subscribe/s/x/0", sent.replacing("g2", with: "g3"), poll)
        }
        #expect(throws: PubNubSignatureError.wrong) { try check("/v2/presence/s/x/0", sent, poll) }
    }
}
