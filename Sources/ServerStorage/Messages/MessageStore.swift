import Identifiers

/// Stores messages, their actions, channel groups, grants, records and other persistent data. Implementations are in `HubStorage`:
/// memory and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `append` and
/// `commit` run in the order of the calls, on a thread of the store or, if nothing has to be awaited, before the call returns, so
/// do not call these methods while you hold a lock that the completion takes.
public protocol MessageStore: Sendable {
    /// Loads the state that a server needs before it starts.
    ///
    /// - Throws: an error of the store; the server does not start then.
    func restore() async throws -> RestoredState
    /// Loads the state of the given applications, which a server adds while it runs.
    ///
    /// - Throws: an error of the store; the applications are not added then.
    func restore(_ applications: Set<Identifier>) async throws -> RestoredState

    /// Stores a message. Several appends may share one transaction.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - change: a change of an action on the message's channel; it is stored with the message or not at all.
    ///   - application: the application.
    ///   - completion: called on a thread of the store once the message survives the end of the process (for durable stores `kill -9`),
    ///     or with the error that prevented it.
    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Changes records in the given order, and stores the messages that announce the changes: all or nothing. ``restore()``
    /// restores records. The default implementation stores nothing and completes with ``RecordsNotSupported``.
    ///
    /// - Parameters:
    ///   - changes: the changes, at most a few hundred.
    ///   - messages: the messages, ascending by timetoken; possibly none.
    ///   - application: the application.
    ///   - completion: as for ``append(_:with:application:completion:)``.
    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Reserves timetokens: the server issues none above `limit` without another call. The store keeps the last limit, even after a
    /// power failure. An orderly shutdown may return unused ones.
    ///
    /// - Throws: an error of the store; no timetoken above the former limit is issued then.
    func reserve(timetokensUpTo limit: UInt64) async throws

    /// Loads a page of history.
    ///
    /// - Throws: an error of the store.
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage]

    /// Counts the stored messages of each channel after the given timetoken (exclusive), at most 10,000 each.
    ///
    /// - Throws: an error of the store.
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int]

    /// Removes at most a few hundred message actions of a channel without notifying anyone, because their messages were deleted. The
    /// default implementation keeps them, so that ``restore()`` brings them back after a restart.
    ///
    /// - Throws: an error of the store.
    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws

    /// Deletes the messages in `start` (exclusive) … `end` (inclusive).
    ///
    /// - Returns: how many messages were deleted.
    /// - Throws: an error of the store.
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int

    /// Deletes the oldest messages of histories until each is within its limits. A store does this in small steps, between which
    /// other calls are answered. The default implementation deletes nothing and returns nothing.
    ///
    /// - Parameter limits: the limits of each application that has some, or whose usage is wanted.
    /// - Returns: the usage of these histories afterwards. An application without an entry is not limited by this store.
    /// - Throws: an error of the store; what was deleted until then stays deleted.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage]

    /// Replaces a group's channels; an empty list removes the group. ``restore()`` restores groups.
    ///
    /// - Throws: an error of the store.
    func save(group: Identifier, channels: [Identifier], application: String) async throws

    /// Stores entries of the access manager, each of which replaces the one with the same key, and removes those with the given
    /// keys. ``restore()`` restores those that have not expired.
    ///
    /// - Throws: an error of the store.
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws

    /// Writes the data that is still in memory, and closes the store. No method is called afterwards.
    func close() async
}

extension MessageStore {
    /// The default implementation restores everything and leaves out other applications. A store that may contain much data should
    /// read less.
    public func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        var state = try await restore()
        state.recent = state.recent.filter { applications.contains($0.key) }
        state.groups = state.groups.filter { applications.contains($0.key) }
        state.actions = state.actions.filter { applications.contains($0.key) }
        state.access = state.access.filter { applications.contains($0.key) }
        state.records = state.records.filter { applications.contains($0.key) }
        return state
    }

    /// The default implementation stores nothing.
    public func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(RecordsNotSupported())
    }

    /// The default implementation limits no history.
    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] { [:] }

    /// The default implementation keeps the actions.
    public func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {}

    /// Stores a message that announces no action.
    public func append(
        _ message: StoredMessage, application: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        append(message, with: nil, application: application, completion: completion)
    }
}

/// The state that a store restores after a restart.
public struct RestoredState: Sendable {
    /// No timetoken up to this one may be issued again.
    public var highestTimetoken: UInt64
    /// Whether cursors from before the restart are still valid for subscribers. False for memory, which has lost everything.
    public var remembersStream: Bool
    /// Recent messages by application, oldest first: those that subscribers may still catch up with.
    public var recent: [Identifier: [StoredMessage]]
    /// Recent messages begin after this timetoken. A channel may nevertheless lack older messages, but then it has more of them
    /// than the 100 that a stream keeps by default.
    public var recentSince: UInt64
    /// Channels of groups, by application and group.
    public var groups: [Identifier: [Identifier: [Identifier]]]
    /// Message actions by application and channel, in the order of their timetokens.
    public var actions: [Identifier: [Identifier: [MessageAction]]]
    /// Entries of the access manager by application, in the order in which their keys were first stored.
    public var access: [Identifier: [AccessEntry]]
    /// Records by application, in no particular order.
    public var records: [Identifier: [KeysetRecord]]

    /// Makes a state; by default that of a store without data.
    public init(
        highestTimetoken: UInt64 = 0, remembersStream: Bool = false, recent: [Identifier: [StoredMessage]] = [:],
        recentSince: UInt64 = 0, groups: [Identifier: [Identifier: [Identifier]]] = [:],
        actions: [Identifier: [Identifier: [MessageAction]]] = [:], access: [Identifier: [AccessEntry]] = [:],
        records: [Identifier: [KeysetRecord]] = [:]
    ) {
        self.highestTimetoken = highestTimetoken
        self.remembersStream = remembersStream
        self.recent = recent
        self.recentSince = recentSince
        self.groups = groups
        self.actions = actions
        self.access = access
        self.records = records
    }
}
