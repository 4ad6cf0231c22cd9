import ConnectionEngine
import PubNubProtocol
import Testing
import WireCoding

@Suite("Access tokens (rules PC-30 to PC-36)")
struct PubNubAccessTokenTests {
    /// The sample of the service's public documentation.
    static let documented =
        "qEF2AkF0GmEI03xDdHRsGDxDcmVzpURjaGFuoWljaGFubmVsLTEY70NncnChb2NoYW5uZWxfZ3JvdXAtMQVDdXNyoENzcGOgRHV1aWShZnV1aWQtMRhoQ3BhdKVEY2hh"
        + "bqFtXmNoYW5uZWwtXFMqJBjvQ2dycKF0XjpjaGFubmVsX2dyb3VwLVxTKiQFQ3VzcqBDc3BjoER1dWlkoWpedXVpZC1cUyokGGhEbWV0YaBEdXVpZHR0ZXN0LWF1dGhv"
        + "cml6ZWQtdXVpZENzaWdYIPpU-vCe9rkpYs87YUrFNWkyNq8CVvmKwEjVinnDrJJc"

    static let token: PubNubAccessToken = {
        var token = PubNubAccessToken(
            issued: 1_577_840_400, ttl: 15,
            resources: PubNubGrants(channels: ["room": [.read, .write], "room-pnpres": .read], groups: ["g": .manage]),
            patterns: PubNubGrants(channels: ["^room-[0-9]+$": .read], users: ["u.*": [.get, .update]]),
            metadata: [
                "score": 12, "name": "é", "ratio": .number(JSONNumber(checked: "0.5")), "on": true, "none": nil, "below": -300,
            ],
            authorizedUser: "me")
        token.sign(with: "secret")
        return token
    }()

    @Test("The documented token says what the documentation says, and is written as it was")
    func documentedToken() throws {
        let token = try PubNubAccessToken(parsing: Self.documented)
        #expect(token.version == 2 && token.issued == 1_627_968_380 && token.ttl == 60)
        let most: PubNubRights = [.read, .write, .manage, .delete, .get, .update, .join]
        #expect(token.resources.channels == ["channel-1": most])
        #expect(token.resources.groups == ["channel_group-1": [.read, .manage]])
        #expect(token.resources.users == ["uuid-1": [.delete, .get, .update]])
        #expect(token.patterns.channels == [#"^channel-\S*$"#: most])
        #expect(token.patterns.groups.keys.elementsEqual([#"^:channel_group-\S*$"#]))
        #expect(token.authorizedUser == "test-authorized-uuid")
        #expect(token.signature.count == 32)
        #expect(token.metadata.isEmpty)
        #expect(token.text == Self.documented)
        #expect(!token.isSigned(with: "secret"))
    }

    @Test("An older token without user ids is read, with padding and without")
    func olderToken() throws {
        let text =
            "p0F2AkF0Gl043rhDdHRsCkNyZXOkRGNoYW6hZnNlY3JldAFDZ3JwoEN1c3KgQ3NwY6BDcGF0pERjaGFuoENncnCgQ3VzcqBDc3BjoERtZXRhoENzaWdYIGOAeTyWGJI-"
            + "blahPGD9TuKlaW1YQgiB4uR_edmfq-61"
        #expect(try PubNubAccessToken(parsing: text).resources.channels == ["secret": .read])
        var token = PubNubAccessToken(issued: 1, ttl: 1)
        var lengths: Set<Int> = []
        for name in ["", "a", "ab", "abc"] {
            token.authorizedUser = name
            token.sign(with: "k")
            let padded = token.text
            let bare = String(padded.prefix { $0 != "=" })
            lengths.insert(padded.utf8.count - bare.utf8.count)
            #expect(padded.utf8.count % 4 == 0)
            #expect(try PubNubAccessToken(parsing: padded) == token)
            #expect(try PubNubAccessToken(parsing: bare) == token)
        }
        #expect(lengths == [0, 1, 2])
    }

    @Test("A token comes back as it was signed, and any change shows")
    func signing() throws {
        let token = try PubNubAccessToken(parsing: Self.token.text)
        #expect(token == Self.token)
        #expect(token.isSigned(with: "secret"))
        #expect(!token.isSigned(with: "Secret"))
        for change in [
            { $0.ttl += 1 }, { $0.issued += 1 }, { $0.resources.channels["room"] = .all }, { $0.authorizedUser = nil },
            { $0.patterns.channels[".*"] = .read }, { $0.metadata["score"] = 13 }, { $0.categories["chan"] = .get },
        ] as [(inout PubNubAccessToken) -> Void] {
            var changed = token
            change(&changed)
            #expect(!changed.isSigned(with: "secret"))
            #expect(try PubNubAccessToken(parsing: changed.text) == changed)
        }
        #expect(!PubNubAccessToken(issued: 1, ttl: 1).isSigned(with: "secret"))
    }

    @Test("A token holds for its minutes, and extreme numbers do no harm")
    func expiry() {
        let token = PubNubAccessToken(issued: 1000, ttl: 2)
        #expect(!token.isExpired(at: 1119))
        #expect(token.isExpired(at: 1120))
        #expect(!PubNubAccessToken(issued: .max, ttl: .max).isExpired(at: 0))
        #expect(PubNubAccessToken(issued: .min, ttl: 1).isExpired(at: 0))
    }

    @Test(
        "What is not a token is refused",
        arguments: [
            "", "====", "not a token", "p0F2", "oA==", "9g==", "gA==", "a+b/", "_____w==",
            // A map that announces 2^32 pairs, an array inside that announces 2^63 elements, a text of 2^62 bytes.
            "uv____8=", "oUF2m3________8=", "oUF2e0AAAAAAAAAA",
            // A length left open, a tag, a repeated key.
            "v0F2Av8=", "wQE=", "okF2AkF2Ag==",
        ])
    func malformed(text: String) {
        #expect(throws: PubNubAccessTokenError.malformed) { try PubNubAccessToken(parsing: text) }
    }

    @Test("Nesting without end is refused before it exhausts a stack")
    func nesting() {
        let deep = String(repeating: "gYGB", count: 5000)
        #expect(throws: PubNubAccessTokenError.malformed) { try PubNubAccessToken(parsing: deep) }
        #expect(throws: PubNubAccessTokenError.malformed) {
            try PubNubAccessToken(parsing: String(repeating: "A", count: PubNubAccessToken.maximumLength + 4))
        }
    }

    @Test("Every truncation is refused, and 30,000 mutations are read or refused but never signed", .timeLimit(.minutes(2)))
    func mutations() throws {
        let text = Array(Self.token.text.utf8)
        for length in 0..<text.count {
            let cut = String(decoding: text[..<length], as: UTF8.self)
            if length < text.count - 1 { #expect((try? PubNubAccessToken(parsing: cut)) == nil, "\(length)") }
        }
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=".utf8)
        var random = SeededRandom(seed: 23)
        var read = 0
        for _ in 0..<30_000 {
            var bytes = text
            for _ in 0...Int.random(in: 0..<2, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = letters.randomElement(using: &random) ?? 0
            }
            guard bytes != text, let token = try? PubNubAccessToken(parsing: String(decoding: bytes, as: UTF8.self)) else {
                continue
            }
            read += 1
            if token != Self.token { #expect(!token.isSigned(with: "secret")) }
        }
        #expect(read > 30)
    }
}
