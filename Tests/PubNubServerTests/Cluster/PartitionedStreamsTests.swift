import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix
import PubNubProtocol
import ServerCluster
import ServerRuntime
import ServerStorage
import Testing

@testable import PubNubServer

@Suite struct PartitionedStreamsTests {
    /// The bus of a partition, which keeps the keysets of what it is asked for and answers nothing.
    private final class Recorder: ClusterBus {
        let node = ClusterNode(name: "a", incarnation: 1)
        let eventLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let store: any ClusterStore = InProcessCluster.Store()
        let requests = NIOLockedValueBox<[ByteBuffer]>([])

        func attach(_ member: any ClusterMember, of service: ClusterServiceID) {}

        func request(
            _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
            completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
        ) {
            requests.withLockedValue { $0.append(payload) }
        }

        func query(
            _ payload: ByteBuffer, of service: ClusterServiceID, within limit: Duration?, isRepeatable: Bool,
            completion: @escaping @Sendable (Result<ByteBuffer, ClusterFailure>) -> Void
        ) {
            requests.withLockedValue { $0.append(payload) }
        }
    }

    private final class Node: StreamNode {
        var eventLoopIDs: EventLoopSet { EventLoopSet() }
        func apply(_ change: StreamChange) {}
    }

    /// Keysets with their partitions among four.
    private static let owners = ["a": 0, "b": 1, "g": 2, "demo": 3, "1001": 3]

    private let buses = (0..<4).map { _ in Recorder() }
    private let members: [ClusterStreams]
    private let streams: PartitionedStreams

    init() throws {
        let settings = PubNubServiceSettings(
            keysets: Self.owners.keys.sorted().map { Keyset(publishKey: "pub-\($0)", subscribeKey: $0, secretKey: "secret") },
            pollHold: .seconds(1), pollQueueLength: 10)
        let names = MetricNames()
        members = buses.map { ClusterStreams(settings, clock: .system, names: names, bus: $0, leading: nil) }
        streams = try #require(PartitionedStreams(members))
    }

    /// How many requests each partition was sent.
    private var counts: [Int] { buses.map { $0.requests.withLockedValue { $0.count } } }

    @Test("CR-50: A keyset is that of its partition, and listed once, with the number that it has in all partitions")
    func keysets() throws {
        #expect(streams.applications.map(\.subscribeKey) == Self.owners.keys.sorted())
        for (number, application) in streams.applications.enumerated() {
            let owner = try #require(Self.owners[application.subscribeKey])
            #expect(application.number == number && application === members[owner].applications[number])
            #expect(streams.application(subscribeKey: application.subscribeKey) === application)
        }
        #expect(streams.application(subscribeKey: "unknown") == nil)
        #expect(PartitionedStreams([]) == nil)
    }

    @Test("CR-50: Requests go to the leader of the keyset's partition only", arguments: owners.keys)
    func requests(_ key: String) throws {
        let application = try #require(streams.application(subscribeKey: key))
        let published = NIOLockedValueBox(ApplicationCounts())
        let before = counts
        let draft = try PubNubDraft(channel: "room", message: "1", metadata: nil, user: nil)
        streams.publish(draft, to: application, isBridged: false, counts: published) { _ in }
        let target = try RequestTarget(parsing: "/v2/presence/sub_key/\(key)/channel/room")
        let address = try PubNubAddress(method: "GET", segments: target.segments)
        streams.forward(
            PubNubServerRequest(method: "GET", target: target, body: [], ifMatch: nil, base: nil, client: nil), address.route,
            of: application, counts: published
        ) { _ in }
        var expected = before
        expected[try #require(Self.owners[key])] += 2
        #expect(counts == expected)
        #expect(streams.files(of: application).keyset.text == key)
    }

    @Test("CR-50: A new keyset is added to all partitions under one number, and nodes join and leave all of them")
    func reload() async throws {
        let all = Self.owners.keys.sorted() + ["new"]
        let reload = try await streams.prepare(all.map { Keyset(publishKey: "pub-\($0)", subscribeKey: $0, secretKey: "secret") })
        streams.take(reload)
        #expect(streams.applications.map(\.subscribeKey) == all)
        #expect(members.allSatisfy { $0.applications.last?.number == all.count - 1 })
        #expect(streams.application(subscribeKey: "new") != nil)
        let node = Node()
        streams.join(node)
        streams.sweep(for: node) { _ in }
        #expect(streams.pushCounts(for: node).isEmpty)
        streams.leave(node)
    }
}
