import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerRuntime
import ServerStorage
import Testing

@testable import PusherServer

@Suite struct PartitionedChannelsTests {
    /// The channels of a partition, which keep what they are asked for.
    private final class Recorder: ChannelBackend {
        let calls = NIOLockedValueBox<[String]>([])
        let number: Int

        init(_ number: Int) { self.number = number }

        private func note(_ call: String) { calls.withLockedValue { $0.append(call) } }

        func join(_ node: any ChannelNode) { note("join") }
        func leave(_ node: any ChannelNode) { note("leave") }
        func sweep(for node: any ChannelNode) { note("sweep") }

        func publish(_ publication: ChannelPublication) -> EventLoopSet {
            note("publish")
            return EventLoopSet()
        }
        func subscribe(
            _ subscription: ChannelSubscription,
            completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void
        ) {
            note("subscribe")
            completion(.success(SubscriptionGrant()))
        }
        var answersAtOnce: Bool { false }
        func subscriptionsAhead(of application: Application) -> Int {
            note("subscriptionsAhead")
            return number
        }
        func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet {
            note("unsubscribe")
            return EventLoopSet()
        }
        func unsubscribe(all subscriptions: [EndedSubscription]) { note("unsubscribe all") }
        func signIn(_ signIn: ConnectionSignIn) { note("signIn") }
        func signOut(_ connection: UserConnection, of application: Application) { note("signOut") }
        func close(_ reason: PusherCloseReason, application: String, user: String?) { note("close") }
        func openConnection(of application: Application) -> ConnectionPlace {
            note("openConnection")
            return .given
        }
        func awaitPlace(of application: Application, _ completion: @escaping @Sendable (ConnectionPlace) -> Void) -> UInt64 {
            note("awaitPlace")
            return 5
        }
        func giveUpPlace(_ ticket: UInt64, of application: Application) { note("giveUpPlace \(ticket)") }
        func closeConnection(of application: Application) { note("closeConnection") }
        func spend(publishes: Int, of application: Application) { note("spend") }
        func spendQuery(of application: Application) { note("spendQuery") }
        func occupancy(of channel: ChannelID) -> ChannelOccupancy? {
            note("occupancy")
            return nil
        }
        func members(of channel: ChannelID) -> [PresenceMember] {
            note("members")
            return []
        }
        func cached(_ channel: ChannelID) -> CachedMessage? {
            note("cached")
            return nil
        }
        func audience(of channel: ChannelID) -> EventLoopSet {
            note("audience")
            return EventLoopSet()
        }
        func forEachOccupied(application: String, prefix: String, _ body: ([ChannelOccupancy]) -> Bool) {
            note("forEachOccupied")
        }
        func connections(of application: Application) -> Int {
            note("connections")
            return number
        }
        var channelCount: Int { 10 + number }
        // Every partition has channels of all applications.
        var tallies: [(application: String, tally: ChannelTally)] {
            PartitionedChannelsTests.owners.keys.sorted().map { id in
                var tally = ChannelTally()
                tally.channels = number
                return (id, tally)
            }
        }
        var recoveries: [(application: String, tally: RecoveryTally)] {
            PartitionedChannelsTests.owners.keys.sorted().map { id in
                var tally = RecoveryTally()
                for name in 0..<number { tally.add(ChannelID(application: id, name: "\(name)")) }
                return (id, tally)
            }
        }
        var webhookReports: [Identifier: [WebhookReport]] {
            [Identifier("1001"): [WebhookReport(url: "u", counts: .init(dropped: number))]]
        }
    }

    private final class Node: ChannelNode {
        var eventLoopIDs: EventLoopSet { EventLoopSet() }
        var fullEventLoops: EventLoopSet { EventLoopSet() }
        func apply(_ change: ChannelChange) -> EventLoopSet { EventLoopSet() }
        func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, of application: Application) {}
        func tell(_ news: ChannelWebhookEvent.Kind, on channel: String, ofApplication id: String) {}
        func filled(_ channel: String, of application: Application) {}
    }

    /// Applications with their home partitions among four.
    fileprivate static let owners = ["g": 0, "1001": 1, "c": 2, "1002": 3]
    /// The partitions of the applications' channels with the name `room`.
    private static let rooms = ["g": 3, "1001": 0, "c": 0, "1002": 3]

    private let recorders = (0..<4).map { Recorder($0) }
    private let channels: PartitionedChannels

    init() throws {
        channels = try #require(PartitionedChannels(recorders))
    }

    private func taken() -> [[String]] {
        recorders.map { recorder in
            recorder.calls.withLockedValue { calls in
                defer { calls = [] }
                return calls
            }
        }
    }

    @Test("CR-80: What belongs to a channel goes to its partition, and to no other one", arguments: Array(rooms.keys))
    func channelRouting(_ id: String) throws {
        let application = Application(id: id, key: "key-\(id)", secret: "secret")
        let channel = ChannelID(application: id, name: "room")
        let socketID = SocketID(high: 1, low: 2)
        let subscriber = ChannelSubscriber(socketID: socketID, eventLoopID: 0, place: .elsewhere { _ in })
        let ended = EndedSubscription(channel: channel, application: application, eventLoopID: 0, socketID: socketID)
        _ = channels.publish(
            ChannelPublication(channel: channel, traits: [], application: application, frame: ByteBuffer(), source: .server))
        channels.subscribe(
            ChannelSubscription(channel: channel, traits: [], application: application, subscriber: subscriber)
        ) { _ in }
        _ = channels.unsubscribe(ended)
        channels.unsubscribe(all: [ended])
        channels.unsubscribe(all: [])
        _ = channels.occupancy(of: channel)
        _ = channels.members(of: channel)
        _ = channels.cached(channel)
        _ = channels.audience(of: channel)
        var expected = [[String]](repeating: [], count: 4)
        expected[try #require(Self.rooms[id])] = [
            "publish", "subscribe", "unsubscribe", "unsubscribe all", "occupancy", "members", "cached", "audience",
        ]
        #expect(taken() == expected)
    }

    @Test("CR-80: What belongs to an application as a whole goes to its home partition only", arguments: Array(owners.keys))
    func homeRouting(_ id: String) throws {
        let application = Application(id: id, key: "key-\(id)", secret: "secret")
        let user = UserConnection(SocketID(high: 1, low: 2), eventLoopID: 0)
        channels.signIn(ConnectionSignIn(connection: user, application: application, user: "ann", watchlist: [], answers: []))
        channels.signOut(user, of: application)
        channels.close(.interrupted, application: id, user: nil)
        #expect(channels.openConnection(of: application) == .given)
        channels.giveUpPlace(channels.awaitPlace(of: application) { _ in }, of: application)
        channels.closeConnection(of: application)
        try channels.spend(publishes: 1, of: application)
        try channels.spendQuery(of: application)
        #expect(channels.connections(of: application) == Self.owners[id])
        // Events for one user are published to a reserved channel.
        _ = channels.publish(
            ChannelPublication(
                channel: ChannelID(application: id, name: "#server-to-user-ann"), traits: [], application: application,
                frame: ByteBuffer(), source: .server))
        var expected = [[String]](repeating: [], count: 4)
        expected[try #require(Self.owners[id])] = [
            "signIn", "signOut", "close", "openConnection", "awaitPlace", "giveUpPlace 5", "closeConnection", "spend",
            "spendQuery", "connections", "publish",
        ]
        #expect(taken() == expected)
    }

    @Test("CR-80: A connection that closes leaves its channels in all partitions, each partition with one call")
    func leaving() {
        let application = Application(id: "1001", key: "key", secret: "secret")
        // Partitions 3, 2, 3 and 1, by the vectors of CR-80.
        channels.unsubscribe(
            all: ["a", "b", "c", "h"].map { name in
                EndedSubscription(
                    channel: ChannelID(application: "1001", name: name), application: application, eventLoopID: 0,
                    socketID: SocketID(high: 1, low: 2))
            })
        #expect(taken() == [[], ["unsubscribe all"], ["unsubscribe all"], ["unsubscribe all"]])
    }

    @Test("CR-80: What concerns all channels goes to every partition, and counts are sums")
    func all() {
        let node = Node()
        channels.join(node)
        channels.sweep(for: node)
        channels.leave(node)
        channels.forEachOccupied(application: "1001", prefix: "") { _ in true }
        let application = Application(id: "1001", key: "key", secret: "secret")
        // The partition with the least room decides when a connection pauses.
        #expect(channels.subscriptionsAhead(of: application) == 0)
        #expect(
            taken() == [[String]](repeating: ["join", "sweep", "leave", "forEachOccupied", "subscriptionsAhead"], count: 4))
        #expect(channels.channelCount == 46 && !channels.answersAtOnce)
        func sums(_ list: [(application: String, count: Int)]) -> [String: Int] {
            list.reduce(into: [:]) { $0[$1.application, default: 0] += $1.count }
        }
        let six = Self.owners.mapValues { _ in 0 + 1 + 2 + 3 }
        #expect(sums(channels.tallies.map { ($0.application, $0.tally.channels) }) == six)
        #expect(sums(channels.recoveries.map { ($0.application, $0.tally.channels) }) == six)
        #expect(channels.webhookReports.mapValues { $0.reduce(0) { $0 + $1.counts.dropped } } == [Identifier("1001"): 6])
    }

    @Test("CR-50: There is a router for as many partitions as a cluster may have")
    func counts() {
        #expect(PartitionedChannels([]) == nil && PartitionedChannels((0..<17).map { Recorder($0) }) == nil)
    }
}
