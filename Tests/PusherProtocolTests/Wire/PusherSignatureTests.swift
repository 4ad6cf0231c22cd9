import PusherProtocol
import Testing

@Suite("Signatures (rules PW-12 to PW-15)")
struct PusherSignatureTests {
    static let key = "278d425bdf160c739803"
    static let secret = "7ad3773142a6692b25b8"

    // Proof of U7.
    @Test("The documented vectors of channels, users and webhooks come out")
    func documented() {
        #expect(
            PusherSignature.channelAuth(
                socketID: "1234.1234", channel: "private-foobar", key: Self.key, secret: Self.secret)
                == "278d425bdf160c739803:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4")
        #expect(
            PusherSignature.channelAuth(
                socketID: "1234.1234", channel: "presence-foobar",
                channelData: #"{"user_id":10,"user_info":{"name":"Mr. Channels"}}"#, key: Self.key, secret: Self.secret)
                == "278d425bdf160c739803:31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80")
        #expect(
            PusherSignature.userAuth(
                socketID: "1234.1234", userData: #"{"id":"12345"}"#, key: Self.key, secret: Self.secret)
                == "278d425bdf160c739803:4708d583dada6a56435fb8bc611c77c359a31eebde13337c16ab43aa6de336ba")
        let body = Array(#"{"time_ms":1327078148132,"events":[{"name":"channel_occupied","channel":"test_channel"}]}"#.utf8)
        let webhook = PusherSignature.sign(body, secret: Self.secret)
        #expect(webhook == "709fdb84c03664445f7698120b0edf0acc1ab1c8c6e93a0368c61841d6b998aa")
        #expect(PusherSignature.isValid(webhookSignature: webhook, body: body, secret: Self.secret))
        #expect(!PusherSignature.isValid(webhookSignature: webhook, body: body + [32], secret: Self.secret))
    }

    @Test(
        "The vectors of the official client's tests come out",
        arguments: [
            ("secret", "private-channel", nil, "6aae8814fabd5285245422096705abbed64ea59614648814ffb0bf2dc5d19168"),
            ("secret", "private-test-channel", nil, "0d0d2e7c2cd967246d808180ef0f115dad51979e48cac9ad203928141f9e6a6f"),
            (
                "secret", "presence-channel", #"{"user_id":"45481.3166671"}"#,
                "5ce61ee2b8594e22b66323913d7c7af9d8e815659365be3627733993f4ce3824"
            ),
            (
                "secret", "presence-channel", #"{"user_id":"123"}"#,
                "c2b53f001321bc088814f210fb63c259b464f590890eee2dde6387ea9b469a30"
            ),
            (
                "secret", "presence-channel", #"{"user_id":"123","user_info":{"friends":0}}"#,
                "80cfefb0ef08fb55353dbbc0480e6160059fac14fce862e9ed1f0121ae8a440f"
            ),
            (
                "secret", "presence-test", #"{"user_id":"123","user_info":{"twitter":"hamchapman"}}"#,
                "e5ee520a16348ced21be557e14ae70fcd1ae89f79d32d14d22a19049eaf56881"
            ),
            ("superSecretSecret", "private-channel", nil, "e1d0947a10d6ff1a25990798910b2505687bb096e3e8b6c97eef02c6b1abb4c7"),
        ] as [(String, String, String?, String)])
    func client(secret: String, channel: String, channelData: String?, hex: String) {
        let auth = PusherSignature.channelAuth(
            socketID: "45481.3166671", channel: channel, channelData: channelData, key: "testKey123", secret: secret)
        #expect(auth == "testKey123:" + hex)
        #expect(
            PusherSignature.isValid(
                channelAuth: auth, socketID: "45481.3166671", channel: channel, channelData: channelData, key: "testKey123",
                secret: secret))
        #expect(
            !PusherSignature.isValid(
                channelAuth: auth, socketID: "45481.3166672", channel: channel, channelData: channelData, key: "testKey123",
                secret: secret))
    }

    @Test("PW-14: the signed text has lowercase names in the order of their bytes, values as they are, and no signature")
    func text() {
        typealias Signature = PusherRequestSignature
        #expect(Signature.text(method: "get", path: "/p", parameters: []) == "GET\n/p\n")
        #expect(Signature.text(method: "GET", path: "/p", parameters: [("Auth_Signature", "x")]) == "GET\n/p\n")
        let parameters = [("b", "2&="), ("É", "4"), ("Auth_Key", "K"), ("a", ""), ("B_", "3"), ("auth_signature", "x")]
        #expect(
            Signature.text(method: "POST", path: "/É/p", parameters: parameters) == "POST\n/É/p\na=&auth_key=K&b=2&=&b_=3&É=4")
        // The Kelvin sign and letters that are not of ASCII stay.
        #expect(
            ["Auth_KEY", "auth_key", "\u{212A}É", ""].map(Signature.lowercased) == ["auth_key", "auth_key", "\u{212A}É", ""])
    }

    // Proof of U7.
    @Test("Empty texts and empty secrets are signed as well")
    func edges() {
        #expect(
            PusherSignature.sign(#"{"user":"my user data"}"#, secret: "mysecret")
                == "7705bb9a7934fe4ceee2325e23750f35752899448c2fe5b064d93326c98fd5b3")
        #expect(
            PusherSignature.sign(#"{"user":"my user data"}"#, secret: "")
                == "a31926f3c0e20c8fd6174ac08c0057708590b6a6bb081a04560ea60b4500738a")
        #expect(
            PusherSignature.sign("", secret: "mysecret")
                == "9074a74de0f34ece3f046403ae88d2eea400281da0ed6ebfa76c949016fa672d")
    }

    static let body = Array(#"{"name":"foo","channels":["project-3"],"data":"{\"some\":\"data\"}"}"#.utf8)

    @Test("The documented request is signed as documented, and passes the check")
    func request() throws {
        let signed = PusherRequestSignature.signed(
            method: "post", path: "/apps/3/events", body: Self.body, key: Self.key, secret: Self.secret,
            timestamp: 1_353_088_179)
        let values = Dictionary(signed.map { ($0.name, $0.value) }) { _, last in last }
        #expect(values["body_md5"] == "ec365a775a4cd0599faeb73354201b6f")
        #expect(values["auth_signature"] == "da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c")
        try PusherRequestSignature.check(
            method: "POST", path: "/apps/3/events", parameters: signed.reversed(), body: Self.body, key: Self.key,
            secret: Self.secret, now: 1_353_088_179 + 600)
    }

    @Test("Whatever was changed is refused, each with its own reason")
    func refusals() {
        let signed = PusherRequestSignature.signed(
            method: "GET", path: "/apps/3/channels", parameters: [("info", "user_count"), ("Filter_By_Prefix", "presence-")],
            key: Self.key, secret: Self.secret, timestamp: 1000)
        func check(
            _ change: (inout [PusherRequestSignature.Parameter]) -> Void = { _ in }, method: String = "GET",
            path: String = "/apps/3/channels", body: [UInt8] = [], now: Int = 1000
        ) throws {
            var parameters = signed
            change(&parameters)
            try PusherRequestSignature.check(
                method: method, path: path, parameters: parameters, body: body, key: Self.key, secret: Self.secret, now: now)
        }
        #expect(throws: Never.self) { try check() }
        #expect(throws: PusherRequestSignatureError.timestampOutOfRange) { try check(now: 1601) }
        #expect(throws: PusherRequestSignatureError.timestampOutOfRange) { try check(now: 399) }
        #expect(throws: PusherRequestSignatureError.timestampOutOfRange) { try check(now: .min) }
        #expect(throws: PusherRequestSignatureError.wrongSignature) { try check(method: "POST") }
        #expect(throws: PusherRequestSignatureError.wrongSignature) { try check(path: "/apps/4/channels") }
        #expect(throws: PusherRequestSignatureError.wrongSignature) { try check({ $0[0].value = "subscription_count" }) }
        #expect(throws: PusherRequestSignatureError.wrongSignature) { try check({ $0.append(("x", "y")) }) }
        #expect(throws: PusherRequestSignatureError.missing("body_md5")) { try check(body: [1]) }
        #expect(throws: PusherRequestSignatureError.missing("auth_signature")) { try check({ $0.removeLast() }) }
        #expect(throws: PusherRequestSignatureError.unknownKey) { try check({ $0[2].value = "other" }) }
        #expect(throws: PusherRequestSignatureError.unknownVersion) { try check({ $0[4].value = "2.0" }) }
    }

    @Test("A body_md5 that was sent is checked, with a body and without")
    func bodyMD5() {
        for (sent, body, accepted) in [
            ("d41d8cd98f00b204e9800998ecf8427e", [], true), ("ec365a775a4cd0599faeb73354201b6f", [], false),
            ("ec365a775a4cd0599faeb73354201b6f", Self.body, true), ("d41d8cd98f00b204e9800998ecf8427e", Self.body, false),
        ] as [(String, [UInt8], Bool)] {
            let signed = PusherRequestSignature.signed(
                method: "GET", path: "/p", parameters: [("body_md5", sent)], key: "k", secret: "s", timestamp: 5)
            let passed =
                (try? PusherRequestSignature.check(
                    method: "GET", path: "/p", parameters: signed, body: body, key: "k", secret: "s", now: 5)) != nil
            #expect(passed == accepted)
        }
    }
}
