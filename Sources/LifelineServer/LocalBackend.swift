import ChatServer
import NIOConcurrencyHelpers
import NIOCore
import PubNubServer
import PusherServer
import RealtimeHub
import ServerCluster
import ServerRuntime
import ServerValues
import ServiceBridge

/// The shared state of the servers in one process: channels, streams, presence, groups, grants and chat. Several servers on one backend
/// behave as one server with several ports.
///
/// The configuration of the first server that joins determines what is stored and where; the others should have the same
/// configuration. The last one to leave closes the stores.
package final class LocalBackend: Sendable {
    /// The parts that the servers share.
    struct Parts: ServerParts {
        private let messages: any MessageStore
        /// The times of the stores; nil for stores in memory.
        let storeTimes: StoreTimes?
        private let chatStore: any ChatStore
        private let localStreams: LocalStreams
        private let localChannels: LocalChannels
        private let localChat: LocalChat
        private let bridgeQueue: BridgeQueue
        /// The bridges of the servers, by their first event loops. This lock is also held while changed keysets are applied.
        private let bridges = NIOLockedValueBox<[Int: Bridge]>([:])
        /// The task that applies the last change of keysets and chat applications.
        let reloading = NIOLockedValueBox<Task<Void, any Error>?>(nil)

        init(_ configuration: ServerConfiguration, _ names: MetricNames, _ feed: LiveFeed) async throws {
            bridgeQueue = BridgeQueue()
            // Called for each message; without a console there are no viewers.
            let tap: any BridgeTap =
                configuration.admin == nil
                ? bridgeQueue : ObservedTap(bridgeQueue, feed: feed)
            localChannels = LocalChannels(
                clock: configuration.clock, userOfflineGrace: configuration.userOfflineGrace,
                maximumPendingBytes: configuration.maximumPendingBytes, bridge: tap)
            let stores = configuration.stores ?? configuration.dataDirectory.map { .directory($0) } ?? .memory
            let times = StoreTimes(clock: configuration.clock)
            let store = try await stores.messages(configuration)
            // The times of a store in memory are too short to be measured.
            let isMemory = configuration.stores == nil && configuration.dataDirectory == nil
            messages = isMemory ? store : TimedMessageStore(store: store, times: times)
            storeTimes = isMemory ? nil : times
            do {
                chatStore = try await stores.chat(configuration)
            } catch {
                await messages.close()
                throw error
            }
            do {
                localStreams = try await LocalStreams(
                    configuration.pubnub, clock: configuration.clock, names: names, store: messages,
                    restored: try await messages.restore(), bridge: tap)
                localChat = LocalChat(
                    configuration.chat, store: chatStore, restored: try await chatStore.restore(), clock: configuration.clock,
                    names: names, logger: configuration.logger, bridge: tap)
            } catch {
                await messages.close()
                await chatStore.close()
                throw error
            }
        }

        var channels: any ChannelBackend { localChannels }
        var streams: any StreamBackend { localStreams }
        var chat: any ChatBackend { localChat }
        var bridge: BridgeQueue? { bridgeQueue }
        var pusherForwarder: PusherService.RequestForwarder? { nil }
        func applicationsChanged() {}

        /// Adds a server's bridge, unless it includes a keyset that requires grants (rule BR-22).
        func open(_ bridge: Bridge, for node: ServerNode) throws {
            try bridges.withLockedValue { bridges in
                try bridge.check(localStreams.keysets)
                bridges[node.firstEventLoopID] = bridge
            }
        }

        func closeBridge(of node: ServerNode) {
            bridges.withLockedValue { $0[node.firstEventLoopID] = nil }
        }

        /// Applies changed keysets and chat applications, unless a bridge includes a keyset that requires grants (rule BR-22).
        func take(_ keysets: PubNubReload?, _ applications: ChatReload?) throws {
            try bridges.withLockedValue { bridges in
                for bridge in bridges.values { try bridge.check(keysets?.keysets ?? []) }
                if let keysets { localStreams.take(keysets) }
            }
            if let applications { localChat.take(applications) }
        }

        func close() async {
            await localStreams.close()
            await messages.close()
            await chatStore.close()
        }
    }

    /// A server's membership in the backend, from joining to leaving.
    struct Seat: ServerSeat {
        var clusterLoop: (any EventLoop)? { nil }
        let node: ServerNode
        let eventLoopIDs: EventLoopSet
        let localParts: Parts
        let backend: LocalBackend

        var parts: any ServerParts { localParts }
        var conditions: [@Sendable () -> Unreadiness?] { [] }
        var metrics: [@Sendable (inout PrometheusText) -> Void] {
            localParts.storeTimes.map { times in [{ out in times.write(to: &out) }] } ?? []
        }
        var clusterStatus: (@Sendable () -> ClusterStatus)? { nil }
        func open(_ bridge: Bridge) throws { try localParts.open(bridge, for: node) }
        func leave() async { await backend.leave(self) }
    }

    enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// All servers together have at most `EventLoopSet.capacity` event loops.
        case tooManyLoops(limit: Int)

        var description: String {
            switch self {
            case .tooManyLoops(let limit): "The servers of one backend can have \(limit) event loops together, and no more."
            }
        }
    }

    private struct State: Sendable {
        var used = EventLoopSet()
        var parts: Task<Parts, any Error>?
        var servers = 0
    }

    private let state = NIOLockedValueBox(State())
    private let congestion = LoopCongestion()
    private let names = MetricNames()
    private let feed = LiveFeed()

    package init() {}

    /// - Parameter loops: the number of the server's event loops.
    func join(_ configuration: ServerConfiguration, loops: Int) async throws -> Seat {
        let (first, parts) = try state.withLockedValue { state in
            guard let first = Self.place(for: loops, beside: state.used) else {
                throw Problem.tooManyLoops(limit: EventLoopSet.capacity)
            }
            for eventLoopID in first..<first + loops { state.used.insert(eventLoopID) }
            state.servers += 1
            let parts = state.parts ?? Task { [names, feed] in try await Parts(configuration, names, feed) }
            state.parts = parts
            return (first, parts)
        }
        let eventLoopIDs = (first..<first + loops).reduce(into: EventLoopSet()) { $0.insert($1) }
        do {
            let node = ServerNode(firstEventLoopID: first, congestion: congestion, names: names, feed: feed)
            return Seat(node: node, eventLoopIDs: eventLoopIDs, localParts: try await parts.value, backend: self)
        } catch {
            _ = give(back: eventLoopIDs)
            throw error
        }
    }

    private func leave(_ seat: Seat) async {
        seat.localParts.closeBridge(of: seat.node)
        if give(back: seat.eventLoopIDs) { await seat.localParts.close() }
    }

    /// Releases a server's event loops. Returns whether the last server has left.
    private func give(back eventLoopIDs: EventLoopSet) -> Bool {
        state.withLockedValue { state in
            for eventLoopID in eventLoopIDs { state.used.remove(eventLoopID) }
            state.servers -= 1
            if state.servers == 0 { state.parts = nil }
            return state.servers == 0
        }
    }

    /// The lowest number from which on this number of event loops is unused.
    private static func place(for loops: Int, beside used: EventLoopSet) -> Int? {
        guard loops <= EventLoopSet.capacity else { return nil }
        return (0...EventLoopSet.capacity - loops).first { first in
            (first..<first + loops).allSatisfy { !used.contains($0) }
        }
    }
}
