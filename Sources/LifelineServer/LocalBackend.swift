import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage
import ServerValues
import ServiceBridge

/// The shared state of all servers in one process. Several servers with the same backend behave as one server with several ports.
///
/// The configuration of the first server that joins determines what is stored and where; the other servers should have the same
/// configuration. The last server that leaves closes the stores.
package final class LocalBackend: Sendable {
    /// A server's membership in the backend, from joining to leaving.
    struct Seat: ServerSeat {
        var clusterLoops: [any EventLoop] { [] }
        let node: ServerNode
        let eventLoopIDs: EventLoopSet
        let parts: ServerParts
        let backend: LocalBackend

        var conditions: [@Sendable () -> Unreadiness?] { parts.conditions }
        var metrics: [@Sendable (inout PrometheusText) -> Void] { parts.metrics }
        var clusterStatus: (@Sendable () -> [ClusterStatus])? { nil }

        /// Adds the server's bridge. Throws if a service refuses the bridge, because it would give everybody access to protected channels
        /// (rule BR-22).
        func open(_ bridge: Bridge) throws {
            try backend.bridges.open(bridge, for: node) {
                for (_, state) in parts.states { try state.check(bridge) }
            }
        }

        func leave() async { await backend.leave(self) }
    }

    enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// The servers of the backend would have more event loops together than `EventLoopSet.capacity`.
        case tooManyLoops(limit: Int)

        var description: String {
            switch self {
            case .tooManyLoops(let limit):
                "The servers of one backend can have at most \(limit) event loops together. Configure fewer threads for each server."
            }
        }
    }

    private struct State: Sendable {
        var used = EventLoopSet()
        var parts: Task<ServerParts, any Error>?
        var servers = 0
    }

    private let state = NIOLockedValueBox(State())
    private let congestion = LoopCongestion()
    private let names = MetricNames()
    private let feed = LiveFeed()
    private let bridges = OpenBridges()

    package init() {}

    /// Opens the state of each service. If one of them fails, closes the states that are already open.
    private func open(_ configuration: ServerConfiguration) async throws -> ServerParts {
        let queue = BridgeQueue()
        // Without a console nobody sees the live feed, so messages go directly to the bridge's queue: the tap for the feed would take time
        // for each message.
        let tap: any BridgeTap =
            configuration.admin == nil ? queue : ObservedTap(queue, feed: feed, of: configuration.services)
        let opening = ServiceOpening(configuration: configuration, names: names, tap: tap, bridges: bridges)
        var states: [(name: ServiceName, state: any SharedServiceState)] = []
        do {
            for module in configuration.services { states.append((module.name, try await module.open(opening))) }
        } catch {
            for (_, state) in states.reversed() { await state.close() }
            throw error
        }
        return ServerParts(states, bridge: queue)
    }

    /// Adds a server to the backend. The first server opens the states of the services.
    ///
    /// - Parameter loops: the number of the server's event loops.
    func join(_ configuration: ServerConfiguration, loops: Int) async throws -> Seat {
        let (first, parts) = try state.withLockedValue { state in
            guard let first = Self.place(for: loops, beside: state.used) else {
                throw Problem.tooManyLoops(limit: EventLoopSet.capacity)
            }
            for eventLoopID in first..<first + loops { state.used.insert(eventLoopID) }
            state.servers += 1
            let parts = state.parts ?? Task { try await open(configuration) }
            state.parts = parts
            return (first, parts)
        }
        let eventLoopIDs = (first..<first + loops).reduce(into: EventLoopSet()) { $0.insert($1) }
        do {
            let node = ServerNode(firstEventLoopID: first, congestion: congestion, names: names, feed: feed)
            return Seat(node: node, eventLoopIDs: eventLoopIDs, parts: try await parts.value, backend: self)
        } catch {
            _ = give(back: eventLoopIDs)
            throw error
        }
    }

    private func leave(_ seat: Seat) async {
        bridges.close(for: seat.node)
        if give(back: seat.eventLoopIDs) { await seat.parts.close() }
    }

    /// Releases the numbers of the event loops of a server that leaves. Returns whether it was the last server.
    private func give(back eventLoopIDs: EventLoopSet) -> Bool {
        state.withLockedValue { state in
            for eventLoopID in eventLoopIDs { state.used.remove(eventLoopID) }
            state.servers -= 1
            if state.servers == 0 { state.parts = nil }
            return state.servers == 0
        }
    }

    /// The first of `loops` consecutive numbers of event loops that no server uses; nil if there are not enough.
    private static func place(for loops: Int, beside used: EventLoopSet) -> Int? {
        guard loops <= EventLoopSet.capacity else { return nil }
        return (0...EventLoopSet.capacity - loops).first { first in
            (first..<first + loops).allSatisfy { !used.contains($0) }
        }
    }
}
