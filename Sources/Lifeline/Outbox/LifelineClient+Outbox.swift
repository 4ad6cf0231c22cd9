import ClientRuntime
import ConnectionEngine
import EngineRuntime
import Identifiers

extension LifelineClient {
    /// Opens an outbox: messages that wait while there is no connection, and are sent in order once there is one.
    ///
    /// An outbox belongs to the application at the service and to the user. On disk each user has a separate file, which only one
    /// outbox at a time may have open; while another user is signed in, the messages of an outbox wait.
    ///
    /// - Parameters:
    ///   - options: lifetime and bounds.
    ///   - storage: where messages are kept; in memory unless `.disk()` of the module `LifelineOutbox` is given.
    ///   - user: the user who owns the messages; nil for the user whom the service was configured with. A client of chat with a token
    ///     has to name the user for an outbox on disk, since the user is known only once it has been connected.
    /// - Throws: ``LifelineError/Code/storageLocked`` when the file is open elsewhere, ``LifelineError/Code/storageFailed`` when it
    ///   cannot be used, ``LifelineError/Code/badRequest`` when the user is not known or differs from `user`.
    public func outbox(
        _ options: OutboxOptions = OutboxOptions(), storage: OutboxStorage = .memory, user: String? = nil
    ) async throws(LifelineError) -> Outbox {
        let adapter = core.adapter
        if let user, let known = adapter.user, !known.isExactly(user) {
            throw LifelineError(
                .badRequest, "The outbox is to belong to another user than the client. Open it with a client of that user.")
        }
        let owner = OutboxOwner(service: adapter.serviceLabel, key: adapter.applicationKey, user: user ?? adapter.user ?? "")
        var opened: OutboxStorage.Opened?
        if let open = storage.open {
            if owner.user.isEmpty, adapter.requiresUser {
                throw LifelineError(
                    .badRequest,
                    "The client does not know its user before it has been connected. Name the user: client.outbox(storage: …, user: \"ann\")."
                )
            }
            opened = try await open(owner)
        }
        return Outbox(
            core: core, options: options, owner: owner, opened: opened, surroundings: OutboxSurroundings(core: core))
    }
}

/// The clocks, timers, task spawner and random source that an outbox uses.
struct OutboxSurroundings: Sendable {
    let timers: any TimerScheduler
    let unixSeconds: @Sendable () -> Int
    let tasks: TaskStarter
    let consumers: (any ConsumerTracker)?
    let seed: UInt64
    /// Ids are also unique across processes, so they never come from a test's seed.
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
