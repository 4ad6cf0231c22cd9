import Identifiers

/// Where the applications that are made at run time are kept (rules AR-4 and AR-5). An entry's bytes mean nothing to the store.
package protocol ApplicationStore: Sendable {
    /// Whether other servers write to the store as well, so that it has to be read again at intervals.
    var isShared: Bool { get }

    /// All entries, and the number of the latest change.
    func load() async throws -> StoredApplications

    /// Writes an entry, or deletes it when `entry` is nil, unless another change came first.
    ///
    /// - Parameter version: the number of the latest change that the caller knows.
    /// - Returns: the number of this change; nil when there was another one since `version`, and nothing was written.
    func write(_ entry: [UInt8]?, name: Identifier, after version: Int64) async throws -> Int64?

    /// The number of the latest change.
    func version() async throws -> Int64

    /// Calls `changed` soon after another server has changed something. It may be called too often, and a call may be missing.
    func watch(_ changed: @escaping @Sendable () -> Void)

    /// Releases the files or connections. No other call follows.
    func close() async
}

/// The content of an ``ApplicationStore``.
package struct StoredApplications: Hashable, Sendable {
    /// The number of the latest change; 0 when there was none.
    package var version: Int64
    /// The entries by their names.
    package var entries: [Identifier: [UInt8]]

    package init(version: Int64 = 0, entries: [Identifier: [UInt8]] = [:]) {
        self.version = version
        self.entries = entries
    }
}
