import ChatServer
import Identifiers
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PubNubServer
import ServerRuntime
import ServerStorage

/// Loads the applications that were made at run time, changes them, and applies them to the running server (rules AR-1 to AR-12).
///
/// Changes and reads of the store run one after the other. May be used from any thread.
final class RuntimeApplications: Sendable {
    private struct State: Sendable {
        var table: ApplicationTable
        /// The number that the store gave to the latest change that ``table`` includes.
        var version: Int64 = 0
        var keysets: [Keyset]
        var chat: [ChatApplication]
        /// The error of the last attempt to read the store; nil after a success.
        var trouble: String?
        var watch: ApplicationWatch
        /// Whether the latest attempt to apply the applications to the server failed.
        var isFailing = false
        /// Applies the present applications to the server; nil before the server has started.
        var apply: (@Sendable () async throws -> Void)?
        /// The last enqueued read or change of the store. The next read or change waits for this task.
        var last: Task<Void, Never>?
    }

    let settings: RuntimeApplicationSettings
    /// The Pusher applications of the configuration together with those made at run time.
    let layered: LayeredApplications
    private let store: (any ApplicationStore)?
    private let seal: ApplicationSeal
    private let clock: ServerClock
    private let logger: Logger
    private let state: NIOLockedValueBox<State>

    /// - Parameter store: the store of the applications; nil for a server without a directory, database or Redis.
    init(_ settings: RuntimeApplicationSettings, _ configuration: ServerConfiguration, store: (any ApplicationStore)?) {
        self.settings = settings
        self.store = store
        layered = LayeredApplications(above: configuration.applications)
        seal = ApplicationSeal(settings.key)
        (clock, logger) = (configuration.clock, configuration.logger)
        state = NIOLockedValueBox(
            State(
                table: ApplicationTable(maximum: settings.maximum), keysets: configuration.keysets,
                chat: configuration.chatApplications,
                watch: ApplicationWatch(isShared: store?.isShared ?? false, at: clock.monotonic())))
    }

    /// Opens the store and reads it.
    ///
    /// - Throws: an error of the store, ``ServerError`` for Redis, or ``ApplicationProblem`` when entries cannot be decrypted.
    static func open(
        _ settings: RuntimeApplicationSettings, _ configuration: ServerConfiguration
    ) async throws -> RuntimeApplications {
        let store: (any ApplicationStore)? =
            if let redis = configuration.redis {
                try await RedisApplicationStore(
                    redis, configuration, on: MultiThreadedEventLoopGroup.singleton.next(), within: ClusterBackend.patience)
            } else {
                try await configuration.openApplications()
            }
        let applications = RuntimeApplications(settings, configuration, store: store)
        do {
            if let store { try await applications.read(store, isStart: true) }
        } catch {
            await store?.close()
            throw error
        }
        applications.layered.replace(with: applications.pusher)
        return applications
    }

    /// Waits until reads and changes of the store have ended, and closes the store.
    func close() async {
        state.withLockedValue { $0.apply = nil }
        await inTurn { [store] in await store?.close() }
    }

    /// Runs `body` after all earlier reads and changes of the store.
    private func inTurn<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value {
        let task = state.withLockedValue { state in
            let task = Task { [last = state.last] in
                await last?.value
                return await body()
            }
            state.last = Task { _ = await task.value }
            return task
        }
        return await task.value
    }

    // MARK: Current applications

    private var now: Int { clock.unixSeconds() }
    var table: ApplicationTable { state.withLockedValue(\.table) }
    var hasStore: Bool { store != nil }
    var isEncrypting: Bool { seal.isEncrypting }
    /// The error of the last attempt to read the store; nil after a success.
    var trouble: String? { state.withLockedValue(\.trouble) }

    var configured: ConfiguredApplications {
        let (keysets, chat) = state.withLockedValue { ($0.keysets, $0.chat) }
        return ConfiguredApplications(pusher: layered.configured, keysets: keysets, chat: chat)
    }

    /// The Pusher applications that were made at run time, to be passed to ``layered``.
    private var pusher: [Application] {
        table.served(at: now, of: settings.services.intersection([.pusher])).compactMap { served in
            if case .pusher(let application) = served { application } else { nil }
        }
    }

    func merged(keysets: [Keyset]) -> [Keyset] {
        settings.services.contains(.pubnub) ? table.merged(keysets: keysets, at: now) : keysets
    }

    func merged(chat: [ChatApplication]) -> [ChatApplication] {
        settings.services.contains(.chat) ? table.merged(chat: chat, at: now) : chat
    }

    /// Returns a server's configuration with the applications that were made at run time added to it.
    func extending(_ configuration: ServerConfiguration) -> ServerConfiguration {
        var configuration = configuration
        configuration.applications = layered
        configuration.keysets = merged(keysets: configuration.keysets)
        configuration.chatApplications = merged(chat: configuration.chatApplications)
        return configuration
    }

    /// Whether an application was made at run time and is not hidden by an application of the configuration.
    func isRuntime(_ id: ApplicationID) -> Bool { table[id] != nil && !configured.has(id) }

    // MARK: Applying

    /// Begins to apply changes to a started server.
    ///
    /// - Parameter apply: applies ``layered`` and the merged lists to the server.
    func attach(_ apply: @escaping @Sendable () async throws -> Void) {
        state.withLockedValue { $0.apply = apply }
        store?.watch { [weak self] in self?.notified() }
    }

    /// Uses the user and password of this configuration for later connections to Redis.
    func renew(_ redis: RedisConfiguration) { (store as? RedisApplicationStore)?.renew(redis) }

    /// Returns the settings of a reload with the applications that were made at run time added to them.
    func merged(_ settings: [ServiceName: any Sendable]) -> [ServiceName: any Sendable] {
        var settings = settings
        if let keysets = settings[.pubnub] as? [Keyset] { settings[.pubnub] = merged(keysets: keysets) }
        if let chat = settings[.chat] as? [ChatApplication] { settings[.chat] = merged(chat: chat) }
        return settings
    }

    /// Stores the keysets and chat applications of the configuration after a reload has applied them.
    func note(_ settings: [ServiceName: any Sendable]) {
        state.withLockedValue { state in
            if let keysets = settings[.pubnub] as? [Keyset] { state.keysets = keysets }
            if let chat = settings[.chat] as? [ChatApplication] { state.chat = chat }
        }
    }

    private func applyNow() async {
        let end = table.nextEnd(after: now)
        let apply = state.withLockedValue { state in
            state.watch.nextEnd = end
            state.watch.mustApply = false
            return state.apply
        }
        layered.replace(with: pusher)
        do {
            try await apply?()
            state.withLockedValue { $0.isFailing = false }
        } catch {
            let isNew = state.withLockedValue { state in
                defer { (state.watch.mustApply, state.isFailing) = (true, true) }
                return !state.isFailing
            }
            guard isNew else { return }
            logger.error(
                "changed applications (created at run time) could not be applied; retried every second",
                metadata: ["error": "\(error)"])
        }
    }

    // MARK: Reading

    /// Reads all entries of the store. If an entry cannot be read, the previous state of its application stays.
    ///
    /// - Parameter isStart: whether an entry that cannot be decrypted is an error.
    private func read(_ store: any ApplicationStore, isStart: Bool = false) async throws {
        let (stored, known) = (try await store.load(), table)
        var applications: [RuntimeApplication] = []
        for (name, entry) in stored.entries {
            guard let id = ApplicationID(name) else { continue }
            do throws(ApplicationProblem) {
                applications.append(
                    try settings.reader.application(id, document: try seal.document(entry, of: id)))
            } catch {
                if isStart, error == .keyMissing(id) || error == .keyWrong(id) { throw error }
                logger.error("\(error)")
                if let former = known[id] { applications.append(former) }
            }
        }
        let table = ApplicationTable(applications, maximum: settings.maximum)
        state.withLockedValue { state in
            (state.table, state.version) = (table, stored.version)
            state.watch.nextEnd = table.nextEnd(after: now)
            // Reading does not apply the table to the server. The next periodic check applies it, also if this read was for a change that
            // is then refused.
            if !isStart { state.watch.mustApply = true }
        }
    }

    /// Reads the store again and applies the applications, if the store has a change that this server has not read.
    private func refresh(_ store: any ApplicationStore) async {
        let known = state.withLockedValue(\.version)
        do {
            let isChanged = try await store.version() != known
            if isChanged { try await read(store) }
            let former = state.withLockedValue { state in
                defer { state.trouble = nil }
                return state.trouble
            }
            if former != nil { logger.notice("the store of applications can be read again") }
            if isChanged { await applyNow() }
        } catch {
            let isNew = state.withLockedValue { state in
                defer { state.trouble = "\(error)" }
                return state.trouble == nil
            }
            if isNew {
                logger.warning(
                    "the store of applications cannot be read: changes made on other servers are missed",
                    metadata: ["error": "\(error)"])
            }
        }
    }

    /// Handles the notification that another server has changed an application.
    func notified() {
        state.withLockedValue { $0.watch.notify() }
        tick()
    }

    /// Begins to read the store, or to apply the applications to the server, if one of the two is due.
    func tick() {
        guard let store else { return }
        let (now, seconds) = (clock.monotonic(), now)
        guard let work = state.withLockedValue({ $0.watch.next(at: now, unixSeconds: seconds) }) else { return }
        Task {
            await inTurn { [self] in
                switch work {
                case .read: await refresh(store)
                case .apply: await applyNow()
                }
                let now = clock.monotonic()
                state.withLockedValue { $0.watch.end(work, at: now) }
            }
        }
    }

    /// Checks once a second whether the store must be read or the applications applied. Returns nil for a server without a store.
    func startWatching(on eventLoop: any EventLoop) -> RepeatedTask? {
        guard store != nil else { return nil }
        return eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [weak self] task in
            guard let self else { return task.cancel() }
            tick()
        }
    }

    // MARK: Changing

    /// How often a change is tried if other servers make changes at the same moment.
    private static let attempts = 10

    /// Makes a change: stores it for all servers, and applies it to this server before returning.
    ///
    /// - Returns: the changed application.
    func perform(_ change: ApplicationChange) async throws(ApplicationProblem) -> RuntimeApplication {
        guard let store else { throw .noStore }
        guard settings.services.contains(change.id.service) else { throw .serviceOff(change.id.service) }
        let result = await inTurn { [self] () -> Result<RuntimeApplication, ApplicationProblem> in
            do throws(ApplicationProblem) {
                let application = try await write(change, to: store)
                await applyNow()
                return .success(application)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func write(
        _ change: ApplicationChange, to store: any ApplicationStore
    ) async throws(ApplicationProblem) -> RuntimeApplication {
        do {
            // The store is read first, because another server may have made or changed the application a moment ago.
            let known = state.withLockedValue(\.version)
            if store.isShared, try await store.version() != known { try await read(store) }
        } catch {
            throw .store("\(error)")
        }
        for _ in 0..<Self.attempts {
            var (table, version) = state.withLockedValue { ($0.table, $0.version) }
            let application = try table.apply(change, beside: configured, at: now, set: settings.reader.change)
            let entry = try table[change.id].map { application throws(ApplicationProblem) in
                try seal.entry(settings.reader.document(application), of: application.id)
            }
            do {
                if let next = try await store.write(entry, name: Identifier(change.id.description), after: version) {
                    version = next
                    state.withLockedValue { [table, version] in ($0.table, $0.version) = (table, version) }
                    return application
                }
                try await read(store)
            } catch {
                throw .store("\(error)")
            }
        }
        throw .busy
    }
}
