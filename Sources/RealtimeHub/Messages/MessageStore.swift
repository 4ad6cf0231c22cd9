/// Keeps messages, channel groups and what else has to survive a restart. Adapters are in `HubStorage`: memory and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `append` come
/// in the order of the calls, on a thread of the store's own or, where there is nothing to wait for, before `append` returns: call
/// it without holding a lock that the completion takes.
public protocol MessageStore: Sendable {
    /// What a server has to know before it serves.
    func restore() async throws -> RestoredState

    /// Keeps a message. `completion` comes once it would survive the end of the process (for durable stores: of the machine's
    /// process, by `kill -9`), or with the error that prevented it. Many appends may share one transaction.
    func append(
        _ message: StoredMessage, application: String, completion: @escaping @Sendable ((any Error)?) -> Void)

    /// The highest timetoken that may be given out without asking again; the store remembers the last one that it was told, across
    /// a loss of power too. An orderly end may take back what was not used.
    func reserve(timetokensUpTo limit: UInt64) async throws

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage]

    /// How many stored messages each channel has after the given timetoken (exclusive), at most 10,000 each.
    func counts(_ since: [String: UInt64], application: String) async throws -> [String: Int]

    /// Deletes what lies in `start` (exclusive) … `end` (inclusive).
    ///
    /// - Returns: how many messages.
    func delete(channel: String, start: UInt64?, end: UInt64?, application: String) async throws -> Int

    /// Replaces a group's channels; empty for none. Groups come back with `restore`.
    func save(group: String, channels: [String], application: String) async throws

    /// Writes what is still in memory and closes. Nothing is called afterwards.
    func close() async
}

/// What a store remembers from before a restart.
public struct RestoredState: Sendable {
    /// No timetoken up to this one may be given out again.
    public var highestTimetoken: UInt64
    /// Whether subscribers can trust cursors from before the restart. False for memory, which has forgotten everything.
    public var remembersStream: Bool
    /// Recent messages by application, oldest first: those from which subscribers may still catch up.
    public var recent: [String: [StoredMessage]]
    /// What is recent begins after this timetoken. A channel may lack older messages all the same, but then has more of them than a
    /// stream keeps by default.
    public var recentSince: UInt64
    /// Channels of groups, by application and group.
    public var groups: [String: [String: [String]]]

    public init(
        highestTimetoken: UInt64 = 0, remembersStream: Bool = false, recent: [String: [StoredMessage]] = [:],
        recentSince: UInt64 = 0, groups: [String: [String: [String]]] = [:]
    ) {
        self.highestTimetoken = highestTimetoken
        self.remembersStream = remembersStream
        self.recent = recent
        self.recentSince = recentSince
        self.groups = groups
    }
}
