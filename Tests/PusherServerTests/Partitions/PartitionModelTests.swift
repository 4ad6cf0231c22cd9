import NIOConcurrencyHelpers
import ServerCluster
import ServerRuntime
import ServerStorage
import Testing
import WireCoding

@testable import PusherServer

/// Requests at random over 1 to 16 partitions, whose leaders are models that keep the events of each channel and fail at random.
@Suite struct PartitionModelTests {
    /// A generator of the same numbers in each run.
    private struct Draw {
        var state: UInt64

        mutating func callAsFunction(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(count, 1)))
        }
    }

    /// The leaders of all partitions.
    private final class Leaders: Sendable {
        struct State {
            /// The events of each channel, in their order.
            var channels: [String: [String]] = [:]
            /// The partitions that refuse, and those that keep their events and do not answer.
            var refusing: Set<Int> = []
            var silent: Set<Int> = []
            /// Channels that a partition was asked for that does not own them.
            var foreign: [String] = []
        }

        let state = NIOLockedValueBox(State())
        let partitions: ClusterPartitions

        init(_ partitions: ClusterPartitions) { self.partitions = partitions }

        func answer(_ partition: Int, _ request: PartitionRequest) -> PartitionResult {
            state.withLockedValue { state in
                guard !state.refusing.contains(partition) else { return .failure(.unavailable) }
                let result: PartitionResult
                switch request {
                case .spend: result = .answer(.done([]))
                case .events(let id, let requests):
                    var attributes: [String] = []
                    for request in requests {
                        for channel in request.channels {
                            if partitions.partition(of: ChannelID(application: id, name: channel)) != partition {
                                state.foreign.append(channel)
                            }
                            state.channels[channel, default: []].append(request.data)
                            guard !request.info.isEmpty else { continue }
                            attributes.append(#"{"subscription_count":\#(state.channels[channel]?.count ?? 0)}"#)
                        }
                    }
                    result = .answer(.done(attributes))
                case .list(let list):
                    let own = state.channels.keys.filter {
                        partitions.partition(of: ChannelID(application: list.application, name: $0)) == partition
                            && $0.hasBytePrefix(list.prefix)
                    }
                    result = .answer(.channels(own.map { ChannelOccupancy(name: $0, subscriptions: 1) }))
                }
                return state.silent.contains(partition) ? .failure(.unknown) : result
            }
        }
    }

    @Test(
        "CP-75, CP-76: Events of requests at random are kept once, in the order of each channel, or the answer says what may be missing",
        arguments: [1, 2, 3, 5, 8, 16])
    func events(_ count: Int) throws {
        let partitions = try #require(ClusterPartitions(count))
        let leaders = Leaders(partitions)
        let requests = PartitionedRequests(
            // Leaders of several versions. That of partition 2 becomes one of an earlier version while events are on their way.
            partitions: partitions, takesEvents: { $0 % 2 == 0 },
            sendEvents: { partition, events, completion in
                completion(partition == 2 ? nil : (try? events.requests()).map { leaders.answer(partition, $0) })
            },
            ask: { partition, request, completion in completion(leaders.answer(partition, request)) },
            forward: { _, _, completion in completion(.empty) })
        var application = Application(id: "1001", key: "key", secret: "secret", announcesSubscriptionCounts: true)
        application.limits.queriesPerSecond = nil
        var draw = Draw(state: UInt64(count))
        // The events of each channel that were accepted, and those of which it is not known.
        var accepted: [String: [String]] = [:]
        var unknown: Set<String> = []
        for step in 0..<400 {
            leaders.state.withLockedValue { state in
                state.refusing = draw(4) == 0 ? [draw(count)] : []
                state.silent = draw(6) == 0 ? [draw(count)] : []
            }
            let names = (0..<(1 + draw(8))).map { _ in "room-\(draw(40))" }
            let isBatch = draw(2) == 0
            let wantsCounts = draw(3) == 0
            let info = wantsCounts ? #","info":"subscription_count""# : ""
            let body: String
            var events: [(channel: String, data: String)]
            if isBatch {
                events = names.enumerated().map { ($1, "\(step)-\($0)") }
                let list = events.map { #"{"name":"e","channel":"\#($0.channel)","data":"\#($0.data)"\#(info)}"# }
                body = #"{"batch":[\#(list.joined(separator: ","))]}"#
            } else {
                let distinct = names.uniqueByBytes()
                events = distinct.map { ($0, "\(step)") }
                body =
                    #"{"name":"e","channels":[\#(distinct.map { #""\#($0)""# }.joined(separator: ","))],"data":"\#(step)"\#(info)}"#
            }
            let before = leaders.state.withLockedValue(\.channels)
            let answer = try answer(requests, "POST", isBatch ? "batch_events" : "events", body, application)
            let after = leaders.state.withLockedValue(\.channels)
            switch (answer.status, answer.body.contains("nothing was done")) {
            case (200, _):
                for event in events { accepted[event.channel, default: []].append(event.data) }
                guard wantsCounts else { break }
                // The counts are those of the moment after each event, in the order of the request.
                var counts = before.mapValues(\.count)
                let expected = events.map { event in
                    counts[event.channel, default: 0] += 1
                    let object = #"{"subscription_count":\#(counts[event.channel] ?? 0)}"#
                    return isBatch ? object : #""\#(event.channel)":\#(object)"#
                }
                let list = expected.joined(separator: ",")
                #expect(answer.body == (isBatch ? #"{"batch":[\#(list)]}"# : #"{"channels":{\#(list)}}"#))
            case (503, true): #expect(after == before)
            case (503, false): unknown.formUnion(events.map { "\($0.channel) \($0.data)" })
            default: Issue.record("\(answer)")
            }
        }
        let kept = leaders.state.withLockedValue { $0 }
        #expect(kept.foreign.isEmpty)
        for (channel, events) in kept.channels {
            #expect(events.filter { !unknown.contains("\(channel) \($0)") } == accepted[channel] ?? [])
            #expect(Set(events).count == events.count)
        }
        // The only leader of a cluster answers lists itself.
        guard count > 1 else { return }
        // The list has all channels of all partitions.
        leaders.state.withLockedValue { ($0.refusing, $0.silent) = ([], []) }
        let list = try answer(requests, "GET", "channels?filter_by_prefix=room-1", "", application)
        let names = kept.channels.keys.filter { $0.hasPrefix("room-1") }.sorted()
        #expect(list.body == #"{"channels":{\#(names.map { #""\#($0)":{}"# }.joined(separator: ","))}}"#)
    }

    private func answer(
        _ requests: PartitionedRequests, _ method: String, _ path: String, _ body: String, _ application: Application
    ) throws -> (status: Int, body: String) {
        let found = NIOLockedValueBox<[HTTPAnswer]>([])
        let request = HTTPRequest(
            method: method, target: try RequestTarget(parsing: "/apps/1001/" + path), headers: [:], body: Array(body.utf8))
        requests.answer(request, of: application) { answer in found.withLockedValue { $0.append(answer) } }
        let only = try #require(found.withLockedValue { $0.count == 1 ? $0.first : nil })
        return (only.status, String(decoding: only.body, as: UTF8.self))
    }
}
