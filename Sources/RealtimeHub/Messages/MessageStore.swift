import Identifiers

/// Keeps messages, their actions, channel groups, grants and what else has to survive a restart. Adapters are in `HubStorage`: memory
/// and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `append` come
/// in the order of the calls, on a thread of the store's own or, where there is nothing to wait for, before `append` returns: call
/// it without holding a lock that the completion takes.
public protocol MessageStore: Sendable {
    /// What a server has to know before it serves.
    func restore() async throws -> RestoredState
    /// As ``restore()``, for applications that a server adds while it runs: gives what the store remembers of these and of no others.
    func restore(_ applications: Set<Identifier>) async throws -> RestoredState

    /// Keeps a message. `completion` comes once it would survive the end of the process (for durable stores: of the machine's
    /// process, by `kill -9`), or with the error that prevented it. Many appends may share one transaction.
    ///
    /// - Parameter change: what the message tells of, on its own channel; kept with it as a whole or not at all.
    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void)

    /// The highest timetoken that may be given out without asking again; the store remembers the last one that it was told, across
    /// a loss of power too. An orderly end may take back what was not used.
    func reserve(timetokensUpTo limit: UInt64) async throws

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage]

    /// How many stored messages each channel has after the given timetoken (exclusive), at most 10,000 each.
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int]

    /// Deletes what lies in `start` (exclusive) … `end` (inclusive).
    ///
    /// - Returns: how many messages.
    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int

    /// Replaces a group's channels; empty for none. Groups come back with `restore`.
    func save(group: Identifier, channels: [Identifier], application: String) async throws

    /// Puts entries of the access manager, each in the place of the one with the same key, and removes those with other keys. They
    /// come back with `restore`, but for what has expired.
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws

    /// Writes what is still in memory and closes. Nothing is called afterwards.
    func close() async
}

extension MessageStore {
    /// Restores everything and leaves out what is of other applications. A store that may have much in it should read less.
    public func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        var state = try await restore()
        state.recent = state.recent.filter { applications.contains($0.key) }
        state.groups = state.groups.filter { applications.contains($0.key) }
        state.actions = state.actions.filter { applications.contains($0.key) }
        state.access = state.access.filter { applications.contains($0.key) }
        return state
    }

    /// Keeps a message that tells of no action.
    public func append(
        _ message: StoredMessage, application: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        append(message, with: nil, application: application, completion: completion)
    }
}

/// What a store remembers from before a restart.
public struct RestoredState: Sendable {
    /// No timetoken up to this one may be given out again.
    public var highestTimetoken: UInt64
    /// Whether subscribers can trust cursors from before the restart. False for memory, which has forgotten everything.
    public var remembersStream: Bool
    /// Recent messages by application, oldest first: those from which subscribers may still catch up.
    public var recent: [Identifier: [StoredMessage]]
    /// What is recent begins after this timetoken. A channel may lack older messages all the same, but then has more of them than a
    /// stream keeps by default.
    public var recentSince: UInt64
    /// Channels of groups, by application and group.
    public var groups: [Identifier: [Identifier: [Identifier]]]
    /// Message actions by application and channel, in the order of their timetokens.
    public var actions: [Identifier: [Identifier: [MessageAction]]]
    /// Entries of the access manager by application, in the order in which their keys were first put.
    public var access: [Identifier: [AccessEntry]]

    public init(
        highestTimetoken: UInt64 = 0, remembersStream: Bool = false, recent: [Identifier: [StoredMessage]] = [:],
        recentSince: UInt64 = 0, groups: [Identifier: [Identifier: [Identifier]]] = [:],
        actions: [Identifier: [Identifier: [MessageAction]]] = [:], access: [Identifier: [AccessEntry]] = [:]
    ) {
        self.highestTimetoken = highestTimetoken
        self.remembersStream = remembersStream
        self.recent = recent
        self.recentSince = recentSince
        self.groups = groups
        self.actions = actions
        self.access = access
    }
}
