import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

@Suite("Events that nodes check and encode, and leaders of two versions (CP-90 to CP-95)", .timeLimit(.minutes(1)))
struct EncodedEventsTests {
    private let event = #"{"name":"e","channel":"room","data":"x"}"#

    /// - Parameter partitions: the channel `room` is in partition 0, and `a` in partition 3 of four. The home of the application is
    ///   partition 1.
    private func withLeaders(
        partitions: Int = 1, former: Set<Int> = [], of applications: [Application]? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (PusherTestCluster, [ObservedLeaders]) async throws -> Void
    ) async throws {
        try await withPusherCluster(1, partitions: partitions, isLed: false, change) { cluster in
            let configuration = cluster.configuration
            var settings = configuration.pusher
            if let applications { settings.applications = InMemoryApplicationRegistry(applications) }
            var leaders: [ObservedLeaders] = []
            for (number, partition) in cluster.partitions.enumerated() {
                let factory = PusherClusterLeaderFactory(
                    settings, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace,
                    sweepInterval: .milliseconds(20), partition: partition)
                leaders.append(ObservedLeaders(factory, isFormer: former.contains(number)))
                try await cluster.clusters[number].lead(by: [.pusher: leaders[number]])
                await eventually { cluster[0].parts[number].takesEvents }
            }
            try await body(cluster, leaders)
        }
    }

    @Test func `CP-90: a leader gets encoded events, and nothing of a request that its node refuses`() async throws {
        for partitions in [1, 4] {
            try await withLeaders(partitions: partitions) { (cluster, leaders) async throws in
                let client = try await cluster[0].connect()
                try await client.subscribe("room")
                #expect(try await cluster[0].post("/apps/1001/events", event) == Answer(status: 200, body: "{}"))
                #expect(try await client.expect("e").data == "x")
                let batch = #"{"batch":[\#(event),\#(event)]}"#
                #expect(try await cluster[0].post("/apps/1001/batch_events", batch) == Answer(status: 200, body: "{}"))
                #expect(leaders[0].requests == ["encoded events", "encoded events"])
                for body in ["[", "{}", #"{"name":"e","channel":"ä","data":"x"}"#] {
                    #expect(try await cluster[0].post("/apps/1001/events", body).status == 400)
                }
                #expect(leaders.flatMap(\.requests) == ["encoded events", "encoded events"])
                #expect(try await cluster[0].get("/apps/1001/channels/room").status == 200)
                #expect(leaders[0].requests.last == "GET /apps/1001/channels/room")
            }
        }
    }

    @Test func `CP-92: the leader's configuration has the limit of messages`() async throws {
        var limited = quietApplication
        limited.limits.publishesPerSecond = 2
        let standing = { (configuration: inout ServerConfiguration) in configuration.clock = ManualClock().withTimeOfDay }
        try await withLeaders(of: [limited], standing) { (cluster, _) async throws in
            let two = #"{"name":"e","channels":["room","a"],"data":"x"}"#
            #expect(try await cluster[0].post("/apps/1001/events", two).status == 200)
            let refused = try await cluster[0].post("/apps/1001/events", two)
            #expect(
                refused
                    == Answer(
                        status: 429,
                        body:
                            "The application publishes more than 2 messages in a second; an event counts once for each channel.\n"
                    ))
        }
    }

    @Test func `CP-93: an application that the leader does not have, or has disabled, publishes nothing`() async throws {
        var disabled = quietApplication
        disabled.isEnabled = false
        for (applications, expected) in [
            ([], Answer(status: 404, body: "There is no application with this id.\n")),
            ([disabled], Answer(status: 403, body: "The application is disabled.\n")),
        ] {
            for partitions in [1, 4] {
                try await withLeaders(partitions: partitions, of: applications) { (cluster, leaders) async throws in
                    #expect(try await cluster[0].post("/apps/1001/events", event) == expected)
                    #expect(leaders[0].requests == ["encoded events"])
                }
            }
        }
    }

    @Test func `CP-94: a leader that has not said that it takes encoded events answers the HTTP request`() async throws {
        try await withLeaders(former: [0]) { (cluster, leaders) async throws in
            let client = try await cluster[0].connect()
            try await client.subscribe("room")
            cluster[0].channels.state.withLockedValue { $0.leaderTakesEvents = false }
            #expect(try await cluster[0].post("/apps/1001/events", event) == Answer(status: 200, body: "{}"))
            #expect(try await client.expect("e").data == "x")
            #expect(leaders[0].requests == ["POST /apps/1001/events"])
            // Events that were on their way to a later version when this leader began.
            cluster[0].channels.state.withLockedValue { $0.leaderTakesEvents = true }
            #expect(try await cluster[0].post("/apps/1001/events", event) == Answer(status: 200, body: "{}"))
            #expect(leaders[0].requests.dropFirst() == ["encoded events", "POST /apps/1001/events"])
            #expect(try await client.expect("e").data == "x")
            try await client.expectSilence()
        }
    }

    @Test func `CP-94: leaders of two versions publish the events of one request`() async throws {
        try await withLeaders(partitions: 4, former: [3]) { (cluster, leaders) async throws in
            let client = try await cluster[0].connect()
            for channel in ["room", "a"] { try await client.subscribe(channel) }
            let body = #"{"name":"e","channels":["room","a"],"data":"x"}"#
            for expected in [["encoded events", "plain events"], ["plain events"]] {
                let former = leaders[3].requests.count
                #expect(try await cluster[0].post("/apps/1001/events", body) == Answer(status: 200, body: "{}"))
                #expect(Array(leaders[3].requests.dropFirst(former)) == expected)
                let channels = [try await client.expect("e").channel, try await client.expect("e").channel]
                #expect(Set(channels) == ["room", "a"])
                cluster[0].parts[3].state.withLockedValue { $0.leaderTakesEvents = false }
            }
            #expect(leaders[0].requests == ["encoded events", "encoded events"])
            try await client.expectSilence()
        }
    }

    @Test func `CP-94: a node asks each leader anew whether it takes encoded events`() async throws {
        try await withLeaders { (cluster, _) async throws in
            await cluster.cluster.loseLeader()
            #expect(cluster[0].channels.takesEvents)
            _ = cluster[0].channels.announcement()
            #expect(!cluster[0].channels.takesEvents)
            try await cluster.lead()
            await eventually { cluster[0].channels.takesEvents }
        }
    }

    @Test func `CP-95: the log names the application of a request that is refused, by whomever`() async throws {
        let log = LogLines()
        var limited = quietApplication
        limited.limits.publishesPerSecond = 1
        let logged = { (configuration: inout ServerConfiguration) in
            configuration.logger = log.logger()
            configuration.clock = ManualClock().withTimeOfDay
        }
        try await withLeaders(of: [limited], logged) { (cluster, _) async throws in
            #expect(try await cluster[0].post("/apps/1001/events", "[").status == 400)
            for status in [200, 429] { #expect(try await cluster[0].post("/apps/1001/events", event).status == status) }
        }
        for status in [400, 429] {
            await log.wait(for: "status=\(status)")
            let line = try #require(log.all.first { $0.contains("request refused") && $0.contains("status=\(status)") })
            #expect(line.contains("app=1001") && line.contains("service=pusher"))
        }
    }
}
