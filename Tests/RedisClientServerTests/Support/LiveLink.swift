import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RedisClient
import RedisTestSupport
import SocketTestSupport

/// A link to a server of a test, with what it tells in the order in which it came.
final class LiveLink: Sendable {
    /// Far longer than anything takes, so that no test depends on the speed of the machine.
    static let limit = Duration.seconds(60)

    let link: RedisLink
    let events = Inbox<RedisLinkEvent>()

    /// - Parameter change: changes the settings before anything is dialled.
    convenience init(
        _ server: RedisProcess, _ credentials: String = "", _ change: (inout RedisLinkSettings) -> Void = { _ in }
    ) throws {
        try self.init(RedisAddress("redis://\(credentials)127.0.0.1:\(server.port)"), change)
    }

    /// - Parameter key: a key of the slot that the link is for, in a cluster.
    init(
        _ address: RedisAddress, key: String = "{lifeline}", _ change: (inout RedisLinkSettings) -> Void = { _ in }
    ) throws {
        var random = SystemRandomNumberGenerator()
        var settings = try RedisLinkSettings(address: address, clientName: "test", key: key, seed: random.next())
        change(&settings)
        link = RedisLink(settings, eventLoop: MultiThreadedEventLoopGroup.singleton.next()) { [events] in events.put($0) }
        link.start()
    }

    /// A link for commands only that also talks to replicas.
    static func admin(_ server: RedisProcess, _ credentials: String = "") async throws -> LiveLink {
        let live = try LiveLink(server, credentials) {
            $0.policy.probe = nil
            $0.endpoint.handshake.needsMaster = false
        }
        try await live.waitForReady(.commands)
        return live
    }

    deinit { link.close() }

    func waitForReady(_ lane: RedisLane) async throws {
        _ = try await events.next { if case .status(lane, .ready) = $0 { true } else { false } }
    }

    /// Waits until both connections can be used.
    func waitForRestored() async throws {
        _ = try await events.next { $0 == .restored }
    }

    /// The cause for which a connection waits or has stopped, as soon as it is one that fits.
    @discardableResult
    func waitForTrouble(_ lane: RedisLane = .commands, _ fits: (RedisLoss) -> Bool) async throws -> RedisLinkEvent {
        try await events.next {
            switch $0 {
            case .status(lane, .waiting(let loss, _)), .status(lane, .stopped(let loss)): fits(loss)
            default: false
            }
        }
    }

    /// The next message.
    func message() async throws -> (channel: String, payload: String) {
        let event = try await events.next { if case .message = $0 { true } else { false } }
        guard case .message(let message) = event else { throw Inbox<RedisLinkEvent>.TimedOut() }
        return (String(buffer: message.channel), String(buffer: message.payload))
    }

    @discardableResult
    func send(_ name: String, _ arguments: RedisArgument...) async throws(RedisFailure) -> RedisValue {
        try await link.send(RedisCommand(name, arguments), within: Self.limit)
    }

    /// The first word of the error with which a command ends; nil when it succeeds.
    func outcome(_ name: String, _ arguments: RedisArgument...) async -> String? {
        do throws(RedisFailure) {
            _ = try await link.send(RedisCommand(name, arguments), within: Self.limit)
            return nil
        } catch {
            return error.code ?? "\(error)"
        }
    }

    func subscribe(_ names: String..., kind: RedisChannel.Kind = .channel) async throws(RedisFailure) {
        try await link.subscribe(kind, to: names.map { ByteBuffer(string: $0) }, within: Self.limit)
    }
}

extension RedisFailure {
    /// The first word of the server's error, if that is what it is.
    var code: String? {
        if case .refused(let reply) = self { return reply.code }
        return nil
    }
}

extension RedisLoss {
    /// The first word of the server's error, if that is what it is.
    var code: String? {
        if case .refused(let reply) = self { return reply.code }
        return nil
    }
}
