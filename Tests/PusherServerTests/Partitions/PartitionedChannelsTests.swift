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
        // Every partition knows all applications.
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
            PartitionedChannelsTests.owners.keys.reduce(into: [:]) {
                $0[Identifier($1)] = [WebhookReport(url: "\(number)", counts: .init())]
            }
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

    /// Applications with their partitions among four.
    fileprivate static let owners = ["g": 0, "1001": 1, "c": 2, "1002": 3]

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

    @Test("CR-50: What belongs to an application goes to its partition, and to no other one", arguments: Array(owners.keys))
    func routing(_ id: String) throws {
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
        #expect(channels.subscriptionsAhead(of: application) == Self.owners[id])
        _ = channels.unsubscribe(ended)
        channels.unsubscribe(all: [ended])
        channels.unsubscribe(all: [])
        let user = UserConnection(socketID, eventLoopID: 0)
        channels.signIn(ConnectionSignIn(connection: user, application: application, user: "ann", watchlist: [], answers: []))
        channels.signOut(user, of: application)
        channels.close(.interrupted, application: id, user: nil)
        #expect(channels.openConnection(of: application) == .given)
        channels.giveUpPlace(channels.awaitPlace(of: application) { _ in }, of: application)
        channels.closeConnection(of: application)
        try channels.spend(publishes: 1, of: application)
        try channels.spendQuery(of: application)
        _ = channels.occupancy(of: channel)
        _ = channels.members(of: channel)
        _ = channels.cached(channel)
        _ = channels.audience(of: channel)
        channels.forEachOccupied(application: id, prefix: "") { _ in true }
        #expect(channels.connections(of: application) == Self.owners[id])
        var expected = [[String]](repeating: [], count: 4)
        expected[try #require(Self.owners[id])] = [
            "publish", "subscribe", "subscriptionsAhead", "unsubscribe", "unsubscribe all", "signIn", "signOut", "close",
            "openConnection", "awaitPlace", "giveUpPlace 5", "closeConnection", "spend", "spendQuery", "occupancy", "members",
            "cached", "audience", "forEachOccupied", "connections",
        ]
        #expect(taken() == expected)
    }

    @Test("CR-50: What concerns all applications goes to every partition, and an application is listed and counted once")
    func all() {
        let node = Node()
        channels.join(node)
        channels.sweep(for: node)
        channels.leave(node)
        #expect(taken() == [[String]](repeating: ["join", "sweep", "leave"], count: 4))
        #expect(channels.channelCount == 46 && !channels.answersAtOnce)
        let owners = Self.owners.map { "\($0.key) \($0.value)" }.sorted()
        #expect(channels.tallies.map { "\($0.application) \($0.tally.channels)" }.sorted() == owners)
        #expect(channels.recoveries.map { "\($0.application) \($0.tally.channels)" }.sorted() == owners)
        let reports = channels.webhookReports.map { entry in "\(entry.key.text) \(entry.value.first?.url ?? "")" }
        #expect(reports.sorted() == owners)
    }

    @Test("CR-50: There is a router for as many partitions as a cluster may have")
    func counts() {
        #expect(PartitionedChannels([]) == nil && PartitionedChannels((0..<17).map { Recorder($0) }) == nil)
    }
}
