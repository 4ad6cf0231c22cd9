import Identifiers

/// Who writes to a store that several servers share: the leader of one partition of their cluster, for as long as no other one has begun.
package struct LeaderTerm: Hashable, Sendable {
    /// The number of the partition, from 0 on.
    package let partition: Int
    /// Distinguishes the leader from all earlier ones of the partition, and is greater than theirs.
    package let number: UInt64

    package init(partition: Int = 0, number: UInt64) {
        self.partition = partition
        self.number = number
    }
}

/// A message store that all servers of a cluster use: every one of them reads, and the leader of each partition writes what belongs to the
/// partition's applications (rules PG-21 to PG-24).
package protocol SharedMessageStore: Sendable {
    /// Begins a term: no earlier leader of the partition writes from now on. What such a leader has begun to write is stored, or refused,
    /// before this returns.
    ///
    /// - Returns: the store through which the leader writes. To close it leaves the shared store open.
    /// - Throws: an error of the store, also when a later term has begun already.
    func begin(_ term: LeaderTerm) async throws -> any MessageStore

    /// Loads a page of history, as ``MessageStore/history(_:application:)`` does.
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage]
    /// Counts messages, as ``MessageStore/counts(_:application:)`` does.
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int]

    /// Closes the store. No method is called afterwards, and none of the leaders' stores.
    func close() async
}

/// A chat store that all servers of a cluster use (rules PG-21 to PG-24).
package protocol SharedChatStore: Sendable {
    /// Begins a term, as ``SharedMessageStore/begin(_:)`` does.
    func begin(_ term: LeaderTerm) async throws -> any ChatStore
    /// Closes the store. No method is called afterwards, and none of the leaders' stores.
    func close() async
}
