import ClientRuntime
import ConnectionEngine
import EngineRuntime
import Identifiers

extension LifelineClient {
    /// Opens an outbox: a queue of messages that wait while there is no connection, and are sent in order once the client is connected.
    ///
    /// An outbox belongs to the application at the service and to the user. On disk each user has a separate file, which only one outbox at
    /// a time may have open; while another user is signed in, the messages of an outbox wait.
    ///
    /// - Parameters:
    ///   - options: lifetime and bounds.
    ///   - storage: where messages are stored: in memory, or on disk with `.disk()` of the module `LifelineOutbox`.
    ///   - user: the user who owns the messages; nil for the user in the service's settings. A chat client with a token must name the user
    ///     for an outbox on disk, because the client gets its user id only from the first connection.
    /// - Throws: ``LifelineError/Code/storageLocked`` when the file is open elsewhere, ``LifelineError/Code/storageFailed`` when it cannot
    ///   be used, ``LifelineError/Code/badRequest`` when the user is not known or differs from `user`.
    public func outbox(
        _ options: OutboxOptions = OutboxOptions(), storage: OutboxStorage = .memory, user: String? = nil
    ) async throws(LifelineError) -> Outbox {
        let adapter = core.adapter
        if let user, let known = adapter.user, !known.isExactly(user) {
            throw LifelineError(
                .badRequest, "The outbox's user is not the user of the client. Open the outbox with a client of its user.")
        }
        let owner = OutboxOwner(service: adapter.serviceLabel, key: adapter.applicationKey, user: user ?? adapter.user ?? "")
        var opened: OutboxStorage.Opened?
        if let open = storage.open {
            if owner.user.isEmpty, adapter.requiresUser {
                throw LifelineError(
                    .badRequest,
                    "The client has no user id before its first connection. Pass the user id: client.outbox(storage: …, user: \"ann\")."
                )
            }
            opened = try await open(owner)
        }
        return Outbox(
            core: core, options: options, owner: owner, opened: opened, surroundings: OutboxSurroundings(core: core))
    }
}

/// The clocks, timers, task starter and random seed that an outbox uses.
struct OutboxSurroundings: Sendable {
    let timers: any TimerScheduler
    let unixSeconds: @Sendable () -> Int
    let tasks: TaskStarter
    let consumers: (any ConsumerTracker)?
    let seed: UInt64
    /// Makes random message ids. They never come from a test's seed, because ids must be unique across processes.
    let makeID: @Sendable () -> String = { ChatAdapterSettings.randomID() }

    init(core: ClientCore) {
        let parts = core.parts
        timers = parts.makeTimers()
        unixSeconds = parts.unixSeconds
        tasks = parts.tasks
        consumers = parts.consumers
        seed = parts.nextSeed()
    }

    func now() -> OutboxInstant { OutboxInstant(moment: timers.now, unixSeconds: Int64(clamping: unixSeconds())) }
}
