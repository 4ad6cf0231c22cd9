import ConnectionEngine

/// A connection to a realtime service, and everything that is done over it. The same for every service.
///
/// ```swift
/// let client = LifelineClient(.pusher(key: "app-key", host: .init("127.0.0.1", port: 6001, tls: false)))
/// try await client.connect()
/// let room = try await client.channel("room-42").subscribe()
/// for await message in room.messages { print(try message.decode(Price.self)) }
/// ```
///
/// May be used from any thread. The connection lives as long as the client or one of its rooms is held; when the last of them is
/// released, the socket closes and every sequence ends. A task that iterates should therefore capture the sequence, not the client.
public final class LifelineClient: Sendable {
    let core: ClientCore

    /// A client that is not connected yet.
    public convenience init(_ service: Service, options: ClientOptions = ClientOptions()) {
        self.init(adapter: service.makeAdapter(options), options: options)
    }

    init(adapter: any ServiceAdapter, options: ClientOptions) {
        core = ClientCore(adapter: adapter, options: options)
    }

    /// Where the connection is now.
    public var status: ConnectionStatus { core.hub.status }

    /// Every status, with cause and retry delay. Each call gives an independent sequence.
    public var statuses: StatusChanges { core.hub.statusChanges() }

    /// Everything that the client hears from now on, in one order. Each call gives an independent sequence.
    public var events: ClientEvents { core.hub.clientEvents() }

    /// A channel by name. Nothing is sent; two values of one name are the same channel.
    public func channel(_ name: String) -> Channel {
        Channel(name: name, core: core)
    }

    /// Connects and returns once the service has confirmed. Failed attempts are retried as the statuses tell.
    ///
    /// Returns at once when connected. Cancelling the task ends the waiting, not the connecting; ``disconnect()`` ends that.
    ///
    /// - Parameter timeout: for the whole undertaking, retries included. When it has passed, nothing more is tried and the status is
    ///   `failed`. Nil for no limit.
    /// - Throws: the cause when the service refused for good or time ran out; ``LifelineError/Code/disconnected`` when
    ///   ``disconnect()`` was called meanwhile.
    public func connect(timeout: Duration? = nil) async throws(LifelineError) {
        let changes = core.hub.statusChanges()
        core.adapter.connect(within: timeout)
        try await core.waitUntilConnected(changes)
    }

    /// Disconnects, and returns when that is done: at the latest when the peer had its time to answer the goodbye, or when the task
    /// is cancelled, which leaves the rest to the client.
    ///
    /// Whoever waits for the connection gets ``LifelineError/Code/disconnected``. Subscribed channels are remembered: a later
    /// ``connect(timeout:)`` subscribes them again.
    public func disconnect() async {
        let changes = core.hub.statusChanges()
        core.adapter.disconnect()
        if status.phase == .idle && core.adapter.phase == .idle { return }
        for await status in changes where status.phase.isTerminal && core.adapter.phase.isTerminal { return }
    }
}

extension ClientCore {
    /// Rule LL-2.
    func waitUntilConnected(_ changes: StatusChanges) async throws(LifelineError) {
        // Only what was told counts, so that the client's status says the same once this returns. A sequence begins with the present
        // status; an end that is older than this call is none of its business.
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
                throw LifelineError(.disconnected, "The connection was ended on request while connecting.")
            default:
                continue
            }
        }
        throw Task.isCancelled
            ? LifelineError(.cancelled, "The task was cancelled while connecting.")
            : LifelineError(.disconnected, "The client was released while connecting.")
    }
}
