import Identifiers

/// Stores the applications that are created at run time (rules AR-4 and AR-5). Each application is one entry, whose bytes the store does
/// not interpret.
package protocol ApplicationStore: Sendable {
    /// Whether other servers also write to the store. If so, each server has to read the store again at intervals.
    var isShared: Bool { get }

    /// Returns all entries, and the number of the latest change.
    func load() async throws -> StoredApplications

    /// Writes an entry, or deletes it when `entry` is nil, unless another server has made a change since `version`.
    ///
    /// - Parameter version: the number of the latest change that the caller has read.
    /// - Returns: the number of this change; nil when there was another change since `version`, and nothing was written.
    func write(_ entry: [UInt8]?, name: Identifier, after version: Int64) async throws -> Int64?

    /// Returns the number of the latest change.
    func version() async throws -> Int64

    /// Makes the store call `changed` soon after another server has made a change. The store may also call it when nothing has changed, and
    /// may miss a change.
    func watch(_ changed: @escaping @Sendable () -> Void)

    /// Closes the store's files or connections. No method is called afterwards.
    func close() async
}

/// All entries of an ``ApplicationStore`` at one time.
package struct StoredApplications: Hashable, Sendable {
    /// The number of the latest change; 0 when there has been none.
    package var version: Int64
    /// The entries' bytes, by the name of the entry.
    package var entries: [Identifier: [UInt8]]

    package init(version: Int64 = 0, entries: [Identifier: [UInt8]] = [:]) {
        self.version = version
        self.entries = entries
    }
}
