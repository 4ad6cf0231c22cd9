import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// The same publishes at a server alone, at a node of a cluster, and at one of a cluster with several partitions.
@Suite(.timeLimit(.minutes(1))) struct PublishAnswersTests {
    private struct Publish {
        var path = "events"
        var query: [(name: String, value: String)] = []
        var body = ""

        init(_ body: String) { self.body = body }

        init(_ path: String, _ query: [(name: String, value: String)] = [], _ body: String) {
            (self.path, self.query, self.body) = (path, query, body)
        }
    }

    /// What a subscriber sees of them, and all answers.
    private struct Outcome: Hashable {
        var answers: [Answer] = []
        var events: [String] = []
        var cached: String?
    }

    private static func event(_ rest: String, name: String = "e", data: String = "x") -> String {
        #"{"name":"\#(name)","data":"\#(data)",\#(rest)}"#
    }

    private static func batch(_ events: String...) -> Publish {
        Publish("batch_events", [], #"{"batch":[\#(events.joined(separator: ","))]}"#)
    }

    private static let accepted: [Publish] = {
        let info = #","info":"user_count,subscription_count""#
        return [
            Publish(event(#""channel":"room""#)), Publish(event(#""channels":["room"],"socket_id":"1.2""#)),
            Publish(event(#""channels":["room","presence-x","a","b","h","room"]\#(info)"#, data: #"{\"n\":\"é\\u0001\"}"#)),
            Publish(event(##""channels":["nobody","#server-to-user-\"ann\""]\##(info)"##)),
            Publish(event(#""channel":"cache-room""#, name: "é", data: #"\n\u0001\/\ud83d\ude00"#)),
            Publish(event(#""channel":"room""#, data: String(repeating: "é", count: 5_120))),
            batch(), batch(event(#""channel":"room""#), event(#""channel":"a""#)),
            batch(event(#""channel":"room"\#(info)"#), event(#""channel":"b""#), event(#""channel":"presence-x"\#(info)"#)),
            Publish("channels/room/events", [("name", "e")], #"{"raw":true}"#),
            Publish("events", [("name", "e"), ("channels[]", "room"), ("channels[]", "a"), ("data", "y")], ""),
        ]
    }()

    private static let refused: [Publish] = {
        let many = (0...100).map { #""c\#($0)""# }.joined(separator: ",")
        let one = event(#""channel":"room""#)
        return [
            Publish("["), Publish("[]"), Publish("{}"), Publish(""), Publish(event(#""channels":[]"#)),
            Publish(event(#""channel":"room""#, name: "")), Publish(event(#""channel":"room""#, name: "pusher:x")),
            Publish(event(#""channel":"room""#, name: String(repeating: "n", count: 201))),
            Publish(event(#""channel":"room""#, data: String(repeating: "x", count: 10_241))),
            Publish(#"{"name":"e","data":{},"channel":"room"}"#), Publish(#"{"name":1,"data":"x","channel":"room"}"#),
            Publish(event(#""channels":[\#(many)]"#)), Publish(event(#""channel":"ro om""#)),
            Publish(event(##""channel":"#x""##)),
            Publish(event(#""channels":["private-encrypted-a","b"]"#)), Publish(event(#""channel":"room","socket_id":"x""#)),
            Publish(event(#""channel":"room","info":"cache""#)), Publish(event(#""channel":"room","info":"x""#)),
            Publish("batch_events", [], "{}"), batch("1"), batch(#"{"name":"e","data":"x"}"#),
            batch(one, event(#""channel":"ä""#)),
            Publish("batch_events", [], #"{"batch":[\#(Array(repeating: one, count: 11).joined(separator: ","))]}"#),
            Publish("channels/room/events", [], "x"),
        ]
    }()

    private func outcome(port: Int) async throws -> Outcome {
        var outcome = Outcome()
        let client = try await TestClient.connect(port: port)
        for (channel, user) in [("room", nil), ("presence-x", "ann")] {
            try await client.requestSubscription(channel, user: user)
            // Behind the confirmation for `room` comes the number of its subscriptions.
            try await client.skip(to: "pusher_internal:subscription_succeeded")
        }
        for publish in Self.accepted + Self.refused + [Publish(Self.event(#""channel":"room""#, name: "last"))] {
            let path = "/apps/1001/" + publish.path
            let target = signed("POST", path, query: publish.query, body: publish.body)
            outcome.answers.append(try await Answer.of("POST", "http://127.0.0.1:\(port)" + target, body: publish.body))
        }
        var last = ""
        while last != "last" {
            guard case .message(let message) = try await client.next() else { break }
            last = message.event
            // Counts come when they come, and those of channels in several partitions in any order.
            guard message.channel == "room", !last.hasPrefix("pusher") else { continue }
            outcome.events.append("\(message.event) \(message.data ?? "")")
        }
        let late = try await TestClient.connect(port: port)
        try await late.requestSubscription("cache-room")
        outcome.cached = try await late.skip(to: "é").data
        for client in [client, late] { await client.closeSocket() }
        return outcome
    }

    private func outcome(partitions: Int, isFormer: Bool = false) async throws -> Outcome {
        var found: Outcome?
        let counting = { (configuration: inout ServerConfiguration) in
            configuration.applications = InMemoryApplicationRegistry([.development])
        }
        try await withPusherCluster(1, partitions: partitions, counting) { cluster in
            for part in cluster[0].parts {
                await eventually { part.takesEvents }
                if isFormer { part.state.withLockedValue { $0.leaderTakesEvents = false } }
            }
            found = try await outcome(port: cluster[0].port)
        }
        return try #require(found)
    }

    @Test func `CP-91: answers, frames and cached events are those of a server alone, whatever leads`() async throws {
        var alone: Outcome?
        try await withServer(.development) { server in alone = try await outcome(port: server.port) }
        let expected = try #require(alone)
        #expect(expected.answers.prefix(Self.accepted.count).allSatisfy { $0.status == 200 })
        #expect(expected.answers.dropFirst(Self.accepted.count).dropLast().allSatisfy { [400, 413].contains($0.status) })
        #expect(expected.events.count == 9 && expected.cached?.isEmpty == false)
        for partitions in [1, 4] {
            for isFormer in [false, true] {
                #expect(try await outcome(partitions: partitions, isFormer: isFormer) == expected)
            }
        }
    }

    @Test func `CP-91: requests beyond the limit get the answers of a server alone`() async throws {
        var application = quietApplication
        application.limits.publishesPerSecond = 3
        let limited = application
        let change = { (configuration: inout ServerConfiguration) in
            configuration.applications = InMemoryApplicationRegistry([limited])
            configuration.clock = ManualClock().withTimeOfDay
        }
        // The home of the application is partition 1 of four, which has `h`; `room` is in 0 and `a` in 3.
        let bodies = [
            #""channel":"h""#, #""channels":["room","a","h"]"#, #""channel":"room""#, #""channel":"h""#, #""channel":"a""#,
        ]
        func answers(_ port: Int) async throws -> [Answer] {
            try await bodies.asyncMap { body in
                let body = Self.event(body)
                let target = signed("POST", "/apps/1001/events", body: body)
                return try await Answer.of("POST", "http://127.0.0.1:\(port)" + target, body: body)
            }
        }
        var alone: [Answer] = []
        try await withServer(quietApplication, change) { server in alone = try await answers(server.port) }
        #expect(alone.map(\.status) == [200, 429, 200, 200, 429])
        for partitions in [1, 4] {
            try await withPusherCluster(1, partitions: partitions, change) { (cluster) async throws in
                for part in cluster[0].parts { await eventually { part.takesEvents } }
                #expect(try await answers(cluster[0].port) == alone)
            }
        }
    }
}
