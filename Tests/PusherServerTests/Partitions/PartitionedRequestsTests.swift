import NIOConcurrencyHelpers
import NIOPosix
import ServerCluster
import ServerRuntime
import ServerStorage
import Testing

@testable import PusherServer

/// Requests at a node of a cluster with four partitions. Those of channels of the application 1001 are: `room` 0, `h` 1, `b` 2, `a` 3; its
/// home is 1.
@Suite struct PartitionedRequestsTests {
    /// The leaders of the partitions, which record what they are asked.
    private final class Leaders: Sendable {
        let asked = NIOLockedValueBox<[String]>([])
        let takesEvents: Bool
        let answers: @Sendable (Int, PartitionRequest) -> PartitionResult?

        /// - Parameter answers: the result is nil for a request that the leader cannot read.
        init(takesEvents: Bool, _ answers: @escaping @Sendable (Int, PartitionRequest) -> PartitionResult?) {
            self.takesEvents = takesEvents
            self.answers = answers
        }

        func note(_ text: String) { asked.withLockedValue { $0.append(text) } }

        func requests(_ partitions: ClusterPartitions) -> PartitionedRequests {
            PartitionedRequests(
                partitions: partitions, takesEvents: { [takesEvents] _ in takesEvents },
                sendEvents: { [self] partition, events, completion in
                    let channels = events.events.map { $0.channels.joined(separator: "+") }.joined(separator: " ")
                    let cost = events.cost > 0 ? " counting \(events.cost)" : ""
                    note("\(partition) \(events.application) \(channels)\(cost)")
                    completion((try? events.requests()).flatMap { answers(partition, $0) })
                },
                ask: { [self] partition, request, completion in
                    switch request {
                    case .events(let id, let requests):
                        note("\(partition) \(id) \(requests.map { $0.channels.joined(separator: "+") }.joined(separator: " "))")
                    case .spend(let id, let publishes, let queries): note("\(partition) \(id) spend \(publishes) \(queries)")
                    case .list(let list): note("\(partition) \(list.application) list \(list.prefix)")
                    }
                    completion(answers(partition, request) ?? .failure(.unknown))
                },
                forward: { [self] partition, request, completion in
                    note("\(partition) \(request.method) \(request.target.rawPath)")
                    completion(HTTPAnswer(.json, Array("forwarded".utf8)))
                })
        }
    }

    private let four: ClusterPartitions
    private let application: Application

    init() throws {
        four = try #require(ClusterPartitions(4))
        var application = Application(id: "1001", key: "key", secret: "secret", announcesSubscriptionCounts: true)
        application.limits.queriesPerSecond = nil
        self.application = application
    }

    /// The answer, and what the leaders were asked, which is the same with leaders that take encoded events and with others.
    private func answer(
        _ method: String, _ path: String, _ body: String = "", of application: Application? = nil,
        _ answers: @escaping @Sendable (Int, PartitionRequest) -> PartitionResult = { _, _ in .answer(.done([])) }
    ) throws -> (status: Int, body: String, asked: [String]) {
        let former = try self.answer(method, path, body, of: application, four, takesEvents: false, answers)
        let answer = try self.answer(method, path, body, of: application, four, takesEvents: true, answers)
        #expect(former == answer)
        return answer
    }

    private func answer(
        _ method: String, _ path: String, _ body: String = "", of application: Application? = nil,
        _ partitions: ClusterPartitions, takesEvents: Bool = true,
        _ answers: @escaping @Sendable (Int, PartitionRequest) -> PartitionResult? = { _, _ in .answer(.done([])) }
    ) throws -> (status: Int, body: String, asked: [String]) {
        let leaders = Leaders(takesEvents: takesEvents, answers)
        let found = NIOLockedValueBox<[HTTPAnswer]>([])
        let request = HTTPRequest(
            method: method, target: try RequestTarget(parsing: "/apps/1001/" + path), headers: [:], body: Array(body.utf8))
        leaders.requests(partitions).answer(request, of: application ?? self.application) { answer in
            found.withLockedValue { $0.append(answer) }
        }
        let all = found.withLockedValue { $0 }
        #expect(all.count == 1)
        let only = try #require(all.first)
        return (only.status, String(decoding: only.body, as: UTF8.self), leaders.asked.withLockedValue { $0 })
    }

    private static func event(_ channels: String, _ rest: String = "") -> String {
        #"{"name":"e","channels":[\#(channels)],"data":"d"\#(rest)}"#
    }

    // MARK: Publishing

    @Test("CP-75: An event for one channel costs one request to its partition")
    func one() throws {
        let answer = try answer("POST", "events", #"{"name":"e","channel":"room","data":"d"}"#)
        #expect(answer == (200, "{}", ["0 1001 room"]))
        #expect(try self.answer("POST", "channels/a/events?name=e", "d").asked == ["3 1001 a"])
    }

    @Test("CP-75: An event for channels of several partitions is answered when all have kept it")
    func several() throws {
        #expect(
            try answer("POST", "events", Self.event(#""room","a","b""#)) == (200, "{}", ["0 1001 room", "3 1001 a", "2 1001 b"]))
        let batch =
            #"{"batch":[{"name":"1","channel":"a","data":""},{"name":"2","channel":"h","data":""},{"name":"3","channel":"a","data":""}]}"#
        #expect(try answer("POST", "batch_events", batch) == (200, "{}", ["3 1001 a a", "1 1001 h"]))
        #expect(try answer("POST", "batch_events", #"{"batch":[]}"#) == (200, "{}", []))
    }

    @Test("CP-75: Attributes come in the order of the request")
    func attributes() throws {
        let counts: @Sendable (Int, PartitionRequest) -> PartitionResult = { partition, request in
            guard case .events(_, let requests) = request else { return .failure(.unknown) }
            let channels = requests.filter { !$0.info.isEmpty }.flatMap(\.channels)
            return .answer(.done(channels.map { _ in #"{"subscription_count":\#(partition)}"# }))
        }
        let info = #","info":"subscription_count""#
        #expect(
            try answer("POST", "events", Self.event(#""a","room","h""#, info), counts).body
                == #"{"channels":{"a":{"subscription_count":3},"room":{"subscription_count":0},"h":{"subscription_count":1}}}"#)
        let batch =
            #"{"batch":[{"name":"1","channel":"a","data":""\#(info)},{"name":"2","channel":"h","data":""},"#
            + #"{"name":"3","channel":"b","data":""\#(info)}]}"#
        #expect(
            try answer("POST", "batch_events", batch, counts).body
                == #"{"batch":[{"subscription_count":3},{},{"subscription_count":2}]}"#)
    }

    @Test("CP-76: When a partition does not answer, the answer says whether events were published")
    func failures() throws {
        func failing(_ failures: [Int: ClusterFailure]) -> @Sendable (Int, PartitionRequest) -> PartitionResult {
            { partition, _ in failures[partition].map { .failure($0) } ?? .answer(.done([])) }
        }
        let event = Self.event(#""room","a""#)
        let partly = try answer("POST", "events", event, failing([3: .unavailable]))
        #expect(partly.status == 503 && partly.body.contains("Some of the events were published"))
        let unknown = try answer("POST", "events", event, failing([0: .unavailable, 3: .unknown]))
        #expect(unknown.status == 503 && unknown.body.contains("Some of the events were published"))
        let none = try answer("POST", "events", event, failing([0: .unavailable, 3: .overloaded]))
        #expect(none.status == 503 && none.body.contains("nothing was done"))
        // Events for other partitions are not concerned.
        #expect(try answer("POST", "events", Self.event(#""b","h""#), failing([0: .unavailable, 3: .unavailable])).status == 200)
        let only = try answer("POST", "events", Self.event(#""a""#), failing([3: .unknown]))
        #expect(only.status == 503 && only.body.contains("Whether the request was performed is not known"))
    }

    @Test("CP-77: Limits of requests are those of the application, counted at its home before anything is published")
    func publishingLimit() throws {
        var limited = application
        limited.limits.publishesPerSecond = 3
        let event = Self.event(#""room","a""#)
        #expect(try answer("POST", "events", event, of: limited).asked == ["1 1001 spend 2 0", "0 1001 room", "3 1001 a"])
        let refused = try answer("POST", "events", event, of: limited) { _, request in
            guard case .spend = request else { return .answer(.done([])) }
            return .answer(.refused(HTTPAnswer(HTTPProblem(429, "Too many."))))
        }
        #expect(refused.status == 429 && refused.asked == ["1 1001 spend 2 0"])
    }

    @Test("CP-77: A query is counted once, by the leader that answers it or at the application's home")
    func queryLimit() throws {
        var limited = application
        limited.limits.queriesPerSecond = 3
        #expect(
            try answer("GET", "channels/room", of: limited).asked == ["1 1001 spend 0 1", "0 GET /apps/1001/channels/room"])
        #expect(try answer("GET", "channels/h", of: limited).asked == ["1 GET /apps/1001/channels/h"])
        #expect(try answer("GET", "connections", of: limited).asked == ["1 GET /apps/1001/connections"])
        #expect(try answer("GET", "channels", of: limited).asked.first == "1 1001 spend 0 1")
    }

    @Test("CP-92: Events for the home of their application alone are counted by the leader that gets them")
    func counting() throws {
        var limited = application
        limited.limits.publishesPerSecond = 3
        let batch = #"{"batch":[{"name":"1","channel":"h","data":""},{"name":"2","channel":"h","data":""}]}"#
        #expect(try answer("POST", "events", Self.event(#""h""#), of: limited, four) == (200, "{}", ["1 1001 h counting 1"]))
        #expect(try answer("POST", "batch_events", batch, of: limited, four) == (200, "{}", ["1 1001 h h counting 2"]))
        // The leader's configuration may have a limit that the node's does not have.
        #expect(try answer("POST", "events", Self.event(#""h""#), four).asked == ["1 1001 h counting 1"])
        #expect(try answer("POST", "events", Self.event(#""a""#), of: limited, four).asked == ["1 1001 spend 1 0", "3 1001 a"])
        let refused = try answer("POST", "events", Self.event(#""h""#), of: limited, four) { _, _ in
            .answer(.refused(HTTPAnswer(HTTPProblem(429, "Too many."))))
        }
        #expect(refused == (429, "Too many.\n", ["1 1001 h counting 1"]))
    }

    @Test("CP-92: The only leader of a cluster gets one request, whatever the channels are")
    func onePartition() throws {
        var limited = application
        limited.limits.publishesPerSecond = 3
        let event = Self.event(#""room","a","b""#)
        #expect(try answer("POST", "events", event, of: limited, .one) == (200, "{}", ["0 1001 room+a+b counting 3"]))
        #expect(try answer("POST", "channels/a/events?name=e", "d", .one).asked == ["0 1001 a counting 1"])
        let down = try answer("POST", "events", event, .one) { _, _ in .failure(.unavailable) }
        #expect(down.status == 503 && down.body.contains("nothing was done"))
        // Queries are answered by the leader, which counts them.
        limited.limits.queriesPerSecond = 3
        for path in ["channels", "channels/a", "channels/presence-a/users", "connections"] {
            #expect(try answer("GET", path, of: limited, .one).asked == ["0 GET /apps/1001/\(path)"])
        }
        #expect(try answer("POST", "events", "[", .one).asked.isEmpty)
    }

    @Test("CP-94: A leader that has not said that it takes encoded events gets the request of the version before")
    func formerLeader() throws {
        let event = Self.event(#""room","a""#)
        #expect(try answer("POST", "events", event, .one, takesEvents: false) == (200, "forwarded", ["0 POST /apps/1001/events"]))
        var limited = application
        limited.limits.publishesPerSecond = 3
        let home = try answer("POST", "events", Self.event(#""h""#), of: limited, four, takesEvents: false)
        #expect(home == (200, "{}", ["1 1001 spend 1 0", "1 1001 h"]))
    }

    @Test("CP-94: Events that a leader could not read are sent again in the form of the version before")
    func unreadable() throws {
        let event = Self.event(#""room","a""#)
        let one = try answer("POST", "events", event, .one) { _, _ in nil }
        #expect(one == (200, "forwarded", ["0 1001 room+a counting 2", "0 POST /apps/1001/events"]))
        // The leader of partition 3 is of the version before, and that of partition 0 is not.
        let isFirst = NIOLockedValueBox(true)
        let mixed = try answer("POST", "events", event, four) { partition, _ in
            guard partition == 3 else { return .answer(.done([])) }
            return isFirst.withLockedValue { isFirst in
                defer { isFirst = false }
                return isFirst ? nil : .answer(.done([]))
            }
        }
        #expect(mixed == (200, "{}", ["0 1001 room", "3 1001 a", "3 1001 a"]))
        var limited = application
        limited.limits.publishesPerSecond = 3
        let asked = NIOLockedValueBox(0)
        let home = try answer("POST", "events", Self.event(#""h""#), of: limited, four) { _, _ in
            asked.withLockedValue { asked in
                asked += 1
                return asked == 1 || asked == 3 ? nil : .answer(.done([]))
            }
        }
        #expect(home == (200, "{}", ["1 1001 h counting 1", "1 1001 spend 1 0", "1 1001 h", "1 1001 h"]))
    }

    // MARK: Queries

    @Test("CP-78: Channels and their users are asked of the channel's partition, and connections and users of the home")
    func queries() throws {
        #expect(try answer("GET", "channels/a?info=user_count").asked == ["3 GET /apps/1001/channels/a"])
        // `presence-0` is in partition 0, and `presence-9` in 2.
        #expect(try answer("GET", "channels/presence-9/users").asked == ["2 GET /apps/1001/channels/presence-9/users"])
        #expect(try answer("GET", "connections").asked == ["1 GET /apps/1001/connections"])
        #expect(
            try answer("POST", "users/ann/terminate_connections").asked == ["1 POST /apps/1001/users/ann/terminate_connections"])
    }

    @Test("CP-78: A list of channels has those of all partitions, sorted by name, with the attributes that were asked for")
    func list() throws {
        let names = ["presence-d", "presence-b", "presence-a", "presence-c"]
        let found = try answer("GET", "channels?filter_by_prefix=presence-&info=user_count") { partition, _ in
            .answer(.channels([ChannelOccupancy(name: names[partition], subscriptions: 9, users: partition)]))
        }
        #expect(found.status == 200 && found.asked == (0..<4).map { "\($0) 1001 list presence-" })
        #expect(
            found.body
                == #"{"channels":{"presence-a":{"user_count":2},"presence-b":{"user_count":1},"#
                + #""presence-c":{"user_count":3},"presence-d":{"user_count":0}}}"#)
    }

    @Test("CP-78: A list of which a partition's channels are missing is not answered, and a wrong one is asked of nobody")
    func incompleteList() throws {
        let incomplete = try answer("GET", "channels") { partition, _ in
            partition == 2 ? .failure(.unavailable) : .answer(.channels([]))
        }
        #expect(incomplete.status == 503)
        #expect(try answer("GET", "channels?info=user_count") == (400, try answer("GET", "channels?info=user_count").body, []))
        #expect(try answer("POST", "events", "[").asked.isEmpty)
    }

    @Test func `CP-78: lists of many channels are joined beside the event loops, and refused when too long`() async throws {
        func listed(_ count: Int, bytes: Int) async throws -> (answer: HTTPAnswer, wasOnLoop: Bool) {
            let requests = PartitionedRequests(
                partitions: four, takesEvents: { _ in true }, sendEvents: { _, _, completion in completion(nil) },
                ask: { partition, _, completion in
                    let channels = (0..<count).map { number in
                        ChannelOccupancy(
                            name: "\(partition)-\(number)-" + String(repeating: "x", count: bytes), subscriptions: 1, users: nil)
                    }
                    completion(.answer(.channels(channels)))
                }, forward: { _, _, _ in })
            let request = HTTPRequest(
                method: "GET", target: try RequestTarget(parsing: "/apps/1001/channels"), headers: [:], body: [])
            let (application, eventLoop) = (application, MultiThreadedEventLoopGroup.singleton.next())
            return await withCheckedContinuation { continuation in
                eventLoop.execute {
                    requests.answer(request, of: application) { answer in
                        continuation.resume(returning: (answer, eventLoop.inEventLoop))
                    }
                }
            }
        }
        let few = try await listed(2, bytes: 1)
        #expect(few.answer.status == 200 && few.wasOnLoop)
        let many = try await listed(500, bytes: 1)
        #expect(many.answer.status == 200 && !many.wasOnLoop)
        #expect(String(decoding: many.answer.body, as: UTF8.self).hasPrefix(#"{"channels":{"0-0-x":{},"0-1-x":{},"0-10-x":{}"#))
        // Each partition keeps to the limit, and all of them together do not.
        let long = try await listed(300, bytes: 20_000)
        #expect(long.answer.status == 400)
    }
}
