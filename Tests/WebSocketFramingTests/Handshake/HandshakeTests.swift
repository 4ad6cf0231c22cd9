import Testing

@testable import WebSocketFraming

@Suite struct HandshakeTests {
    let example = WebSocketKey("dGhlIHNhbXBsZSBub25jZQ==")

    @Test func `The example of RFC 6455, 1_3, gives its answer`() throws {
        #expect(try #require(example).accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func `New keys are 16 random bytes in base64`() {
        var random = TestRandom(state: 1)
        let keys = (0..<50).map { _ in WebSocketKey(using: &random).value }
        #expect(Set(keys).count == 50)
        #expect(keys.allSatisfy { WebSocketKey($0) != nil })
    }

    @Test func `Base64 agrees with the vectors of RFC 4648`() {
        let vectors = [
            "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=", "foobar": "Zm9vYmFy",
        ]
        for (plain, encoded) in vectors { #expect(Base64.encode(Array(plain.utf8)) == encoded) }
    }

    @Test(arguments: ["", "short", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ== ", "dGhl!HNhbXBsZSBub25jZQ=="])
    func `Keys that are not 16 bytes are refused`(text: String) {
        #expect(WebSocketKey(text) == nil)
    }

    private func answer(_ changes: [String: String?] = [:]) -> [HeaderField] {
        var fields: [String: String] = [
            "upgrade": "WebSocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Accept": " s3pPLMBiTxaQ9kYGzzhZRbK+xOo= ",
        ]
        for (name, value) in changes { if let value { fields[name] = value } else { fields.removeValue(forKey: name) } }
        return fields.map { ($0.key, $0.value) }
    }

    private func fault(_ fields: [HeaderField], offering: [String] = []) throws -> ClientHandshake.Fault? {
        let handshake = ClientHandshake(key: try #require(example), subprotocols: offering)
        do throws(ClientHandshake.Fault) {
            _ = try handshake.check(fields)
            return nil
        } catch {
            return error
        }
    }

    @Test func `A right answer is accepted whatever the case and the white space`() throws {
        #expect(try fault(answer()) == nil)
        #expect(try fault(answer(["Sec-WebSocket-Protocol": "b"]), offering: ["a", "b"]) == nil)
    }

    @Test func `Rule WF-16: every fault of an answer is found`() throws {
        #expect(try fault(answer(["upgrade": nil as String?])) == .upgradeMissing)
        #expect(try fault(answer(["upgrade": "h2c"])) == .upgradeMissing)
        #expect(try fault(answer(["Connection": "close"])) == .connectionMissing)
        #expect(try fault(answer(["Sec-WebSocket-Accept": nil as String?])) == .acceptMissing)
        #expect(try fault(answer() + [("sec-websocket-accept", "x")]) == .acceptMissing)
        #expect(try fault(answer(["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOO="])) == .acceptWrong)
        #expect(try fault(answer(["Sec-WebSocket-Protocol": "c"]), offering: ["a", "b"]) == .subprotocolUnknown)
        #expect(try fault(answer(["Sec-WebSocket-Protocol": "a, b"]), offering: ["a", "b"]) == .subprotocolUnknown)
        #expect(try fault(answer(["Sec-WebSocket-Extensions": "permessage-deflate"])) == .extensionUnknown)
    }

    @Test func `A server accepts what a client asks`() throws {
        let client = ClientHandshake(key: try #require(example), subprotocols: ["a", "b"])
        let server = try ServerHandshake(method: "GET", fields: client.requestFields, subprotocols: ["b", "c"])
        #expect(server.subprotocol == "b")
        #expect(try client.check(server.responseFields) == "b")
        #expect(try ServerHandshake(method: "GET", fields: client.requestFields).subprotocol == nil)
    }

    @Test func `Rule WF-17: every fault of a request is found`() throws {
        let good = ClientHandshake(key: try #require(example)).requestFields
        func without(_ name: String) -> [HeaderField] { good.filter { $0.name != name } }
        #expect(throws: ServerHandshake.Fault.notGet) { try ServerHandshake(method: "POST", fields: good) }
        #expect(throws: ServerHandshake.Fault.notGet) {
            try ServerHandshake(method: "GET", isAtLeastHTTP11: false, fields: good)
        }
        #expect(throws: ServerHandshake.Fault.notUpgrade) { try ServerHandshake(method: "GET", fields: without("Upgrade")) }
        #expect(throws: ServerHandshake.Fault.notUpgrade) { try ServerHandshake(method: "GET", fields: without("Connection")) }
        #expect(throws: ServerHandshake.Fault.badVersion) {
            try ServerHandshake(method: "GET", fields: without("Sec-WebSocket-Version") + [("Sec-WebSocket-Version", "8")])
        }
        #expect(throws: ServerHandshake.Fault.badKey) { try ServerHandshake(method: "GET", fields: without("Sec-WebSocket-Key")) }
        #expect(throws: ServerHandshake.Fault.badKey) {
            try ServerHandshake(method: "GET", fields: good + [("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")])
        }
        #expect(ServerHandshake.Fault.badVersion.responseFields.contains { $0 == ("Sec-WebSocket-Version", "13") })
        #expect(ServerHandshake.isUpgrade(good) && !ServerHandshake.isUpgrade(without("Upgrade")))
    }
}
