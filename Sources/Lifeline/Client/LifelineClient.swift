import ClientRuntime
import ConnectionEngine
import EngineRuntime

/// A client of a realtime service, with one connection. The API is the same for every service.
///
/// ```swift
/// let client = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: 6001, tls: false)))
/// try await client.connect()
/// let room = try await client.channel("room-42").subscribe()
/// for await message in room.messages { print(try message.decode(Price.self)) }
/// ```
///
/// May be used from any thread. The connection stays open as long as the client or one of its rooms is referenced; when the last
/// reference is gone, the socket is closed and every sequence ends. A task that iterates should therefore capture the sequence, not
/// the client.
public final class LifelineClient: Sendable {
    let core: ClientCore

    /// Makes a client. It is not connected until ``connect(timeout:)`` is called.
    public convenience init(_ service: Service, options: ClientOptions = ClientOptions()) {
        self.init(
            adapter: service.makeAdapter(options, service.parts), options: options, consumers: service.parts.consumers,
            application: service.parts.application, parts: service.parts)
    }

    init(
        adapter: any ServiceAdapter, options: ClientOptions, consumers: (any ConsumerTracker)? = nil,
        application: ApplicationMonitor? = nil, parts: ClientParts = .live
    ) {
        core = ClientCore(
            adapter: adapter, options: options, consumers: consumers,
            application: options.suspendsInBackground ? application : nil, parts: parts)
    }

    /// The latest status of the connection.
    public var status: ConnectionStatus { core.hub.status }

    /// All statuses of the connection, each with its cause and retry delay. Each read of the property returns an independent sequence.
    public var statuses: StatusChanges { core.hub.statusChanges() }

    /// All events of the client from now on, in one order. Each read of the property returns an independent sequence.
    public var events: ClientEvents { core.hub.clientEvents() }

    /// The channel with a name. Nothing is sent. Two values with the same name are the same channel.
    public func channel(_ name: String) -> Channel {
        Channel(name: name, core: core)
    }

    /// Connects, and returns when the service has confirmed the connection. Failed attempts are retried; ``statuses`` reports each of them.
    ///
    /// Returns at once when the client is connected already. Cancelling the task ends the waiting, but not the attempts to connect;
    /// ``disconnect()`` ends the attempts.
    ///
    /// - Parameter timeout: the limit for all attempts together; nil for no limit. When it has passed, the client stops trying and the
    ///   phase is `failed`. With a limit of zero or less, the client fails at once.
    /// - Throws: the cause when the service refused and a retry would be useless, or when the time limit has passed;
    ///   ``LifelineError/Code/disconnected`` when ``disconnect()`` was called in the meantime.
    public func connect(timeout: Duration? = nil) async throws(LifelineError) {
        let changes = core.hub.statusChanges()
        core.adapter.connect(within: timeout)
        try await core.waitUntilConnected(changes)
    }

    /// Disconnects, and returns when the connection is closed. The peer has a limited time to answer the close. Cancelling the task ends
    /// the waiting; the client closes the connection anyway.
    ///
    /// Calls that wait for the connection throw ``LifelineError/Code/disconnected``. Subscribed channels are remembered: a later
    /// ``connect(timeout:)`` subscribes them again.
    public func disconnect() async {
        let changes = core.hub.statusChanges()
        let before = core.adapter.phase
        core.adapter.disconnect()
        if status.phase == .idle && core.adapter.phase == .idle { return }
        // The first status of the sequence was announced before this call. If a connection was in progress at that time, the first status
        // may report the end of an earlier connection and is skipped. Every later end status belongs to the connection that this call ends,
        // even if another task connects at the same time (rule LL-11).
        var isOld = !before.isTerminal
        for await status in changes {
            if status.phase.isTerminal, !isOld || core.adapter.phase.isTerminal { return }
            isOld = false
        }
    }
}

extension ClientCore {
    /// Rule LL-2.
    func waitUntilConnected(_ changes: StatusChanges) async throws(LifelineError) {
        // Waits for a status from the sequence instead of reading the adapter's phase, so that the client's `status` is up to date when
        // this method returns. The first status in the sequence may be the end of an earlier connection, so `failed` and `disconnected`
        // count only after a status of a connection attempt.
        var isUnderWay = false
        for await status in changes {
            switch status.phase {
            case .connected where isUnderWay || adapter.phase == .connected:
                return
            case .connecting, .waiting, .suspended:
                isUnderWay = true
            case .failed where isUnderWay:
                throw status.cause.map(LifelineError.init) ?? LifelineError(.refused, "The connection failed.")
            case .disconnected where isUnderWay:
                throw LifelineError(.disconnected, "`disconnect()` was called while the client was connecting.")
            default:
                continue
            }
        }
        throw Task.isCancelled
            ? LifelineError(.cancelled, "The task was cancelled while it waited for the connection.")
            : LifelineError(.disconnected, "The client was released while it was connecting. Keep a reference to it.")
    }
}
