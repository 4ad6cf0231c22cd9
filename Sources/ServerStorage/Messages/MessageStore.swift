import Identifiers

/// Stores messages, their actions, channel groups, grants, records and other persistent data. `HubStorage` has implementations for memory
/// and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `append` and `commit`
/// run in the order of the calls, on a thread of the store or, if nothing has to be awaited, before the call returns. So do not call these
/// methods while you hold a lock that the completion takes.
public protocol MessageStore: Sendable {
    /// Loads the state that a server needs before it starts.
    ///
    /// - Throws: an error of the store, after which the server does not start.
    func restore() async throws -> RestoredState
    /// Loads the state of the given applications only, which a server adds while it runs.
    ///
    /// - Throws: an error of the store, after which the applications are not added.
    func restore(_ applications: Set<Identifier>) async throws -> RestoredState

    /// Stores a message. Several appends may share one transaction.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - change: a change of an action on the message's channel; it is stored together with the message or not at all.
    ///   - application: the application, by its subscribe key.
    ///   - completion: called on a thread of the store once the message survives the end of the process (for durable stores `kill -9`), or
    ///     with the error that prevented this.
    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Changes records in the given order, and stores the messages that announce the changes: all of them or nothing. ``restore()`` returns
    /// the records after a restart. The default implementation stores nothing and completes with ``RecordsNotSupported``.
    ///
    /// - Parameters:
    ///   - changes: the changes, at most a few hundred.
    ///   - messages: the messages, ascending by timetoken; may be empty.
    ///   - application: the application, by its subscribe key.
    ///   - completion: as for ``append(_:with:application:completion:)``.
    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Reserves timetokens up to `limit`. The server calls this method again before it issues a timetoken above `limit`. The store keeps
    /// the last limit, even after a power failure. An orderly shutdown may lower the stored limit to the last timetoken that was used.
    ///
    /// - Throws: an error of the store; the server then issues no timetoken above the former limit.
    func reserve(timetokensUpTo limit: UInt64) async throws

    /// Loads a page of a channel's history.
    ///
    /// - Throws: an error of the store.
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage]

    /// Counts the stored messages of each channel after its timetoken (exclusive), up to 10,000 for each channel.
    ///
    /// - Throws: an error of the store.
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int]

    /// Removes at most a few hundred message actions of a channel, because their messages were deleted. Nobody is notified. The default
    /// implementation keeps the actions, so that ``restore()`` returns them after a restart.
    ///
    /// - Throws: an error of the store.
    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws

    /// Deletes the messages of a channel from `start` (exclusive) to `end` (inclusive).
    ///
    /// - Returns: the number of deleted messages.
    /// - Throws: an error of the store.
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int

    /// Deletes the oldest messages of histories until each history is within its limits. A store does this in small steps, and answers
    /// other calls between two steps. The default implementation deletes nothing and returns nothing.
    ///
    /// - Parameter limits: the limits of each application that has limits, or whose usage is requested.
    /// - Returns: the usage of these histories afterwards, without the applications that this store does not limit.
    /// - Throws: an error of the store; messages that were deleted before the error stay deleted.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage]

    /// Replaces the channels of a channel group; an empty list removes the group. ``restore()`` returns the groups after a restart.
    ///
    /// - Throws: an error of the store.
    func save(group: Identifier, channels: [Identifier], application: String) async throws

    /// Stores entries of the access manager, and removes the entries with the given keys. A stored entry replaces an earlier entry with the
    /// same key. ``restore()`` returns the entries that have not expired.
    ///
    /// - Throws: an error of the store.
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws

    /// Writes the data that is still in memory, and closes the store. No method is called afterwards.
    func close() async
}

extension MessageStore {
    /// The default implementation restores the state of all applications, and returns the part that belongs to the requested applications.
    /// A store that may contain much data should implement this method so that it reads only the requested applications.
    public func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        var state = try await restore()
        state.recent = state.recent.filter { applications.contains($0.key) }
        state.groups = state.groups.filter { applications.contains($0.key) }
        state.actions = state.actions.filter { applications.contains($0.key) }
        state.access = state.access.filter { applications.contains($0.key) }
        state.records = state.records.filter { applications.contains($0.key) }
        return state
    }

    /// The default implementation stores nothing, and completes with ``RecordsNotSupported``.
    public func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        completion(RecordsNotSupported())
    }

    /// The default implementation limits no history, and returns nothing.
    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] { [:] }

    /// The default implementation removes no message actions.
    public func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {}

    /// Stores a message that announces no change of an action.
    public func append(
        _ message: StoredMessage, application: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        append(message, with: nil, application: application, completion: completion)
    }
}

/// The state that a store restores after a restart.
public struct RestoredState: Sendable {
    /// The highest reserved or issued timetoken. No timetoken up to this one may be issued again.
    public var highestTimetoken: UInt64
    /// Whether timetokens from before the restart are still valid positions for subscribers. False for a store in memory, which has lost
    /// all messages.
    public var remembersStream: Bool
    /// Recent messages by application, oldest first, so that subscribers can continue after a restart without missing any.
    public var recent: [Identifier: [StoredMessage]]
    /// The timetoken after which ``recent`` contains all messages, except those of busy channels: of a channel with more than 100 messages
    /// in ``recent``, older messages after this timetoken may be missing. By default a stream keeps 100 messages of a channel.
    public var recentSince: UInt64
    /// The channels of channel groups, by application and group.
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
