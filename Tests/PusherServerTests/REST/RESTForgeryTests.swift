import LifelineServer
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ServerTestSupport

/// Reliability row X2, hazard 6: requests that were changed on their way.
@Suite("Changed requests (X2, SR-8 to SR-13)", .timeLimit(.minutes(2)))
struct RESTForgeryTests {
    private typealias Parameters = [(name: String, value: String)]

    private struct Forgery {
        var what: String
        var method = "POST"
        var path = "/apps/1001/events"
        var parameters: Parameters
        var body: String

        var target: String { path + "?" + parameters.map { $0.name + "=" + $0.value }.joined(separator: "&") }
    }

    private static let body = #"{"name":"forged","channel":"room","data":"{\"n\":1}"}"#
    private static let now = 1_600_000_000

    private static func signed(at timestamp: Int = now, body: String = body) -> Forgery {
        let parameters = PusherRequestSignature.signed(
            method: "POST", path: "/apps/1001/events", body: Array(body.utf8), key: "app-key", secret: "app-secret",
            timestamp: timestamp)
        return Forgery(what: "as it was signed", parameters: parameters, body: body)
    }

    /// Another character of the same kind.
    private static func changed(_ text: String, at offset: Int) -> String {
        var bytes = Array(text.utf8)
        bytes[offset] = bytes[offset] == UInt8(ascii: "1") ? UInt8(ascii: "2") : UInt8(ascii: "1")
        return String(decoding: bytes, as: UTF8.self)
    }

    private static var forgeries: [Forgery] {
        let good = signed()
        var all: [Forgery] = []
        func add(_ what: String, _ change: (inout Forgery) -> Void) {
            var forgery = good
            forgery.what = what
            change(&forgery)
            all.append(forgery)
        }
        for (index, parameter) in good.parameters.enumerated() {
            for offset in 0..<parameter.value.utf8.count {
                add("\(parameter.name) changed at \(offset)") {
                    $0.parameters[index].value = changed(parameter.value, at: offset)
                }
            }
            add("\(parameter.name) missing") { $0.parameters.remove(at: index) }
            add("\(parameter.name) empty") { $0.parameters[index].value = "" }
            add("\(parameter.name) twice") { $0.parameters.append(parameter) }
            add("\(parameter.name) twice in other letters") {
                $0.parameters.append((parameter.name.uppercased(), parameter.value))
            }
            add("\(parameter.name) as a list") { $0.parameters[index].name += "[]" }
            add("\(parameter.name) longer") { $0.parameters[index].value += "0" }
            add("\(parameter.name) shorter") { $0.parameters[index].value.removeLast() }
        }
        for offset in 0..<body.utf8.count { add("body changed at \(offset)") { $0.body = changed(body, at: offset) } }
        add("body longer") { $0.body += " " }
        add("body gone") { $0.body = "" }
        add("body with its own MD5") { forgery in
            forgery.body = #"{"name":"forged","channel":"room","data":"y"}"#
            let md5 = PusherRequestSignature.bodyMD5(Array(forgery.body.utf8))
            forgery.parameters = forgery.parameters.map { $0.name == "body_md5" ? ($0.name, md5) : $0 }
        }
        add("another application") { $0.path = "/apps/1002/events" }
        add("another call") { $0.path = "/apps/1001/batch_events" }
        add("the older call") { $0.path = "/apps/1001/channels/room/events" }
        add("a slash more") { $0.path = "/apps/1001//events" }
        add("another method") { $0.method = "PUT" }
        for name in ["info", "socket_id", "name", "channels[]", "auth_foo", "x"] {
            add("an unsigned \(name)") { $0.parameters.append((name, "1")) }
        }
        for offset in [-100_000, -3600, -602, -601, 601, 602, 3600, 100_000] {
            var late = signed(at: now + offset)
            late.what = "signed \(offset) s off"
            all.append(late)
        }
        return all
    }

    // Proof of X2.
    @Test("Of more than 200 changed requests each is refused, and nobody gets anything")
    func forged() async throws {
        let other = Application(id: "1002", key: "key-2", secret: "app-secret")
        let clock = ManualClock()
        try await withServer(
            quietApplication,
            {
                $0.clock = clock.clock
                $0.applications = InMemoryApplicationRegistry([quietApplication, other])
            }
        ) { (server) async throws in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            let forgeries = Self.forgeries
            #expect(forgeries.count >= 200)
            for forgery in forgeries {
                let answer = try await server.request(forgery.method, forgery.target, body: forgery.body)
                #expect([400, 401, 404, 405].contains(answer.status), "\(forgery.what): \(answer)")
                #expect(!answer.body.contains("app-secret") && !answer.body.contains("forged"), "\(forgery.what): \(answer)")
            }
            try await client.expectSilence()
            let good = Self.signed()
            #expect(try await server.request("POST", good.target, body: good.body).status == 200)
            try await client.expect("forged")
        }
    }

    @Test("Order and case of the parameters' names do not matter, nor does a second time within 600 s")
    func harmless() async throws {
        // Only the time of day moves, so that connections do not rest for too long.
        let seconds = NIOLockedValueBox(Self.now)
        let clock = ServerClock(monotonic: ServerClock.system.monotonic, unixSeconds: { seconds.withLockedValue { $0 } })
        try await withServer(quietApplication, { $0.clock = clock }) { (server) async throws in
            var good = Self.signed()
            for _ in good.parameters.indices {
                good.parameters.append(good.parameters.removeFirst())
                #expect(try await server.request("POST", good.target, body: good.body).status == 200)
                var upper = good
                upper.parameters = upper.parameters.map { ($0.name.uppercased(), $0.value) }
                #expect(try await server.request("POST", upper.target, body: good.body).status == 200)
            }
            seconds.withLockedValue { $0 += 600 }
            #expect(try await server.request("POST", good.target, body: good.body).status == 200)
            seconds.withLockedValue { $0 += 1 }
            #expect(try await server.request("POST", good.target, body: good.body).status == 401)
        }
    }

    @Test("Values are signed as they are, not as they are escaped")
    func unescaped() async throws {
        try await withServer { (server) async throws in
            let target = server.signedTarget(
                "POST", "/apps/1001/events", query: [("name", "a b&c=d+é/%"), ("channel", "x@y;z"), ("data", #"{"a":"ü&="}"#)])
            let query = target.drop { $0 != "?" }.dropFirst()
            let plain = [
                ("a b&c=d+é/%", "a%20b%26c%3Dd%2B%C3%A9%2F%25"), (#"{"a":"ü&="}"#, "%7B%22a%22%3A%22%C3%BC%26%3D%22%7D"),
                ("x@y;z", "x%40y%3Bz"),
            ]
            var escaped = String(query)
            for (value, escape) in plain { escaped = escaped.replacingFirst(value, with: escape) }
            #expect(try await server.request("POST", "/apps/1001/events?" + escaped).status == 200)
        }
    }

    @Test("A refusal says what to do", arguments: [(-700, "behind"), (700, "ahead of")])
    func advice(offset: Int, word: String) async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { (server) async throws in
            let late = Self.signed(at: Self.now + offset)
            let answer = try await server.request("POST", late.target, body: late.body)
            #expect(answer.status == 401)
            #expect(answer.body.hasPrefix("The client's clock differs by 700 s: auth_timestamp is \(word) the server's clock"))
            var wrong = Self.signed()
            wrong.parameters[wrong.parameters.count - 1].value = String(repeating: "0", count: 64)
            let text = try await server.request("POST", wrong.target, body: wrong.body).body
            #expect(text.contains("auth_signature") && text.contains("secret"))
        }
    }
}
