import ChatProtocol
import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Who may call the server API (NA-1 to NA-6)", .timeLimit(.minutes(2)))
struct ChatAPIAccessTests {
    private let path = "user/connection-status/get"
    private let body = #"{"userId":"ann"}"#

    @Test("A signed call is answered, and its request id comes back")
    func signed() async throws {
        try await withChatAPI { api in
            var headers = api.headers()
            headers.append(("X-Request-ID", "r-1/2:3"))
            let answer = try await api.call(path, body, headers: headers)
            #expect(answer.status == 200)
            #expect(answer.body == ["code": 0, "result": ["status": "offline"]])
            #expect(answer.fields["x-request-id"] == "r-1/2:3")
            let refused = try await api.call("nothing", body, headers: api.headers() + [("X-Request-ID", "r-2")])
            #expect(refused.fields["x-request-id"] == "r-2")
            let hostile = try await api.call(path, body, headers: api.headers() + [("X-Request-ID", "a b\tc")])
            #expect(hostile.status == 200 && hostile.fields["x-request-id"] == nil)
        }
    }

    @Test("Signatures that are wrong in any bit, made with another secret, or for another nonce or time are refused")
    func wrongSignature() async throws {
        try await withChatAPI { api in
            let good = api.headers(nonce: "n-1")
            func status(_ change: (inout [(String, String)]) -> Void) async throws -> [Int?] {
                var headers = good
                change(&headers)
                let answer = try await api.call(path, body, headers: headers)
                #expect(answer.body["errorMessage"]?.string?.contains("app-secret") != true)
                return [answer.status, answer.code]
            }
            for position in 0..<40 {
                let refused = try await status { headers in
                    var digits = Array(headers[3].1.utf8)
                    digits[position] = digits[position] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
                    headers[3].1 = String(decoding: digits, as: UTF8.self)
                }
                #expect(refused == [401, 1004])
            }
            #expect(try await status { $0[0].1 = "other-key" } == [401, 1001])
            #expect(try await status { $0[1].1 = "n-2" } == [401, 1004])
            #expect(try await status { $0[2].1 += "0" } == [401, 1004])
            #expect(try await status { $0[3].1 = "" } == [401, 1004])
            #expect(try await status { $0[3].1 += "0" } == [401, 1004])
            #expect(try await status { $0[1].1 = String(repeating: "n", count: 129) } == [401, 1004])
            for index in 0..<4 { #expect(try await status { $0.remove(at: index) }[0] == 401) }
            for index in 0..<4 { #expect(try await status { $0.append($0[index]) }[0] == 401) }
            var other = api
            other.secret = "another"
            #expect(try await other.refused(path, ["userId": "ann"]) == [401, 1004])
            // None of that used the nonce up.
            #expect(try await status { _ in } == [200, 0])
        }
    }

    @Test("A timestamp may be five minutes off, and no more", arguments: [-1, 1] as [Int64])
    func timestamps(sign: Int64) async throws {
        let clock = ManualClock()
        try await withChatServer(.development, { $0.clock = clock.withTimeOfDay }) { server in
            // The server has been there for longer than any call that is accepted.
            clock.advance(by: 600)
            let api = ChatAPIClient(server: server)
            let now = api.server.chat.now
            // The clock runs on while calls are under way.
            let near = try await api.call(path, body, headers: api.headers(timestamp: now + sign * 200_000))
            #expect(near.status == 200)
            let far = try await api.call(path, body, headers: api.headers(timestamp: now + sign * 1_200_000))
            #expect(far.status == 401 && far.code == 1004)
            for text in ["", "-1", "x", "1e3", "9223372036854775807", "99999999999999999999999"] {
                var headers = api.headers()
                headers[2].1 = text
                headers[3].1 = ChatServerSignature.sign(secret: "app-secret", nonce: headers[1].1, timestamp: text)
                #expect(try await api.call(path, body, headers: headers).status == 401, "\(text)")
            }
        }
    }

    @Test("A call that is sent again is refused, whatever it asks for now; the same nonce at another time is another call")
    func replay() async throws {
        try await withChatAPI { api in
            let now = api.server.chat.now
            let headers = api.headers(nonce: "once", timestamp: now)
            #expect(try await api.call(path, body, headers: headers).status == 200)
            let again = try await api.call(path, body, headers: headers)
            #expect(again.status == 401 && again.code == 1004)
            #expect(try await api.call("user/ban/list", "{}", headers: headers).status == 401)
            var upper = headers
            upper[3].1 = headers[3].1.uppercased()
            #expect(try await api.call(path, body, headers: upper).status == 401)
            #expect(try await api.call(path, body, headers: api.headers(nonce: "once", timestamp: now + 1)).status == 200)
        }
    }

    @Test(
        "NA-8: A call that was signed before the server started is refused, also one that it has not seen, and may be signed again"
    )
    func before() async throws {
        let clock = ManualClock()
        // Time passes by the time of day alone.
        try await withChatServer(.development, { $0.clock = clock.withTimeOfDay }) { server in
            clock.advance(by: 5)
            let api = ChatAPIClient(server: server)
            let now = api.server.chat.now
            let early = try await api.call(path, body, headers: api.headers(timestamp: now - 60_000))
            #expect(early.status == 401 && early.code == 1004)
            #expect(early.body["errorMessage"]?.string?.contains("sign it again") == true)
            #expect(try await api.call(path, body, headers: api.headers(timestamp: now)).status == 200)
            clock.advance(by: 60)
            #expect(try await api.call(path, body, headers: api.headers(timestamp: now - 60_000)).status == 200)
        }
    }

    @Test("Unknown paths and other methods are refused in the API's own terms", arguments: ["GET", "PUT", "DELETE", "HEAD"])
    func paths(method: String) async throws {
        try await withChatAPI { api in
            for path in [
                "", "user", "user/get/", "user//get", "../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "user%2fget", "user/get%00",
            ] {
                let answer = try await api.server.request("POST", "/v4/" + path, body: "{}")
                #expect(answer.status == 404 && answer.body.hasPrefix(#"{"code":1404,"errorMessage":""#), "\(path)")
            }
            let answer = try await api.server.request(method, "/v4/user/get")
            #expect(answer.status == 405)
            if method != "HEAD" { #expect(answer.body.hasPrefix(#"{"code":1405,"#)) }
        }
    }

    @Test("A body that is no JSON object, or too large, is refused; fields that nobody knows are ignored")
    func bodies() async throws {
        try await withChatAPI { api in
            for body in [
                "[]", "{", #"{"userId":"ann""#, "null", "\u{0}", #"{"userId":"\ud800"}"#, String(repeating: "[", count: 100_000),
            ] {
                let answer = try await api.call(path, body)
                #expect(answer.status == 400 && answer.code == 1003, "\(body.prefix(20))")
            }
            let missing = try await api.call(path, "")
            #expect(missing.status == 400 && missing.code == 1002)
            #expect(missing.body["errorMessage"]?.string?.contains("userId") == true)
            for value in ["1", "[]", "\"\"", "\"a\\u0000b\"", "null", "\"\(String(repeating: "x", count: 65))\""] {
                let wrong = try await api.call(path, #"{"userId":\#(value)}"#)
                #expect(wrong.status == 400 && wrong.code == 1002, "\(value.prefix(10))")
            }
            #expect(try await api.call(path, #"{"userId":"ann","more":{"a":[1]}}"#).status == 200)
            #expect(try await api.call(path, #"{"userId":"ann"}\#(String(repeating: " ", count: 500_000))"#).status == 200)
        }
    }

    @Test("Ten megabytes are refused before they are read")
    func largeBody() async throws {
        try await withChatAPI { api in
            let socket = try await RawSocket.connect(port: api.server.port)
            let fields = api.headers().map { "\($0.0): \($0.1)\r\n" }.joined()
            try await socket.send("POST /v4/\(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10485760\r\n\(fields)\r\n")
            var answer = ""
            while !answer.contains("}"), let bytes = try await socket.next() { answer += String(buffer: bytes) }
            #expect(answer.hasPrefix("HTTP/1.1 413 ") && answer.contains(#"{"code":1005,"#))
            await socket.close()
        }
    }

    @Test("Beyond the rate of an address calls are refused, with the time to wait; others are not", .timeLimit(.minutes(1)))
    func rate() async throws {
        let settings = ChatApplication.with { $0.limits.callsPerSecond = 1 }
        try await withChatAPI(settings) { api in
            // The clock runs on, so how many come through is not told; that some are refused is.
            var refusals: [ChatAPIClient.Answer] = []
            for _ in 0..<200 where refusals.isEmpty {
                let answer = try await api.call(path, body)
                if answer.status != 200 { refusals.append(answer) }
            }
            #expect(refusals.first?.status == 429 && refusals.first?.code == 1008)
            #expect(refusals.first?.fields["retry-after"] == "1")
            #expect(try await api.call("user/ban/list", "{}").status == 200)
        }
    }

    @Test("Quotas: ordinary calls, tokens, direct messages by receivers in a minute, messages to groups")
    func quotas() {
        let gate = ServerAPIRateLimiter(since: MonotonicInstant(nanoseconds: 0))
        func taken(_ quota: ServerAPIRateLimiter.Quota, at seconds: Double, by step: Int = 1) -> Int {
            let now = MonotonicInstant(nanoseconds: Int64(seconds * 1e9))
            var count = 0
            while gate.spend(step, of: quota, callsPerSecond: 100, at: now) == nil { count += step }
            return count
        }
        #expect(taken(.calls(.user), at: 1) == 100)
        #expect(taken(.calls(.user), at: 1) == 0)
        #expect(taken(.calls(.ban), at: 1) == 100)
        #expect(taken(.calls(.user), at: 1.5) == 50)
        #expect(taken(.calls(.user), at: 99) == 100)
        #expect(taken(.calls(.issueToken), at: 1) == 200)
        #expect(taken(.groupMessages, at: 1) == 20)
        #expect(taken(.directMessages, at: 1, by: 1000) == 6000)
        #expect(taken(.directMessages, at: 31, by: 1000) == 3000)
        // However small a quota is, one call fits.
        #expect(
            gate.spend(1000, of: .directMessages, callsPerSecond: 1, at: MonotonicInstant(nanoseconds: 900_000_000_000)) == nil)
        #expect(gate.spend(1, of: .directMessages, callsPerSecond: 1, at: MonotonicInstant(nanoseconds: 900_000_000_000)) != nil)
        let wait = gate.spend(1, of: .groupMessages, callsPerSecond: 100, at: MonotonicInstant(nanoseconds: 1_000_000_000))
        #expect(wait == 50)
    }

    // Proof of NA-2.
    @Test("Signatures are remembered as long as they could come again, and no more of them than fit")
    func replayMemory() {
        func signature(_ number: Int) -> String { ChatServerSignature.sign(secret: "s", nonce: "\(number)", timestamp: "1") }
        var replays = ChatAPIReplays(limit: 100)
        let start: Int64 = 1_000_000_000
        func admit(_ signature: String, timestamp: Int64, at now: Int64) -> Bool {
            replays.admit(signature, timestamp: timestamp, at: now)
        }
        for number in 0..<50 { #expect(admit(signature(number), timestamp: start, at: start)) }
        #expect(!admit(signature(7), timestamp: start, at: start + 300_000))
        // When there is no room, calls of the oldest time are refused, known or not; later ones are not.
        for number in 50..<150 {
            #expect(admit(signature(number), timestamp: start + 60_000, at: start + 60_000))
        }
        #expect(!admit(signature(7), timestamp: start, at: start + 60_000))
        #expect(!admit(signature(999), timestamp: start, at: start + 60_000))
        #expect(!admit(signature(120), timestamp: start + 60_000, at: start + 60_000))
        #expect(!admit("too short", timestamp: start + 60_000, at: start + 60_000))
        // After their time is over they are forgotten.
        #expect(admit(signature(200), timestamp: start + 900_000, at: start + 900_000))
        #expect(!admit(signature(120), timestamp: start + 60_000, at: start + 900_000))
    }
}
