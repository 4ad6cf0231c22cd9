import Identifiers

/// The term of a leader: the time during which one server alone may write the data of one partition of a cluster to the shared store. The
/// term ends when the term of the partition's next leader begins.
package struct LeaderTerm: Hashable, Sendable {
    /// The number of the partition, from 0 on.
    package let partition: Int
    /// The number of the leader's term. It is greater than the numbers of all earlier terms of the partition.
    package let number: UInt64

    package init(partition: Int = 0, number: UInt64) {
        self.partition = partition
        self.number = number
    }
}

/// A message store that all servers of a cluster use. Every server reads from it; data of an application is written only by the leader of
/// the application's partition (rules PG-21 to PG-24).
package protocol SharedMessageStore: Sendable {
    /// Begins the term of a leader. From then on no earlier leader of the partition can write. Writes that an earlier leader has begun are
    /// either stored or refused before this method returns.
    ///
    /// - Returns: the store through which the leader writes. Closing this store leaves the shared store open.
    /// - Throws: an error of the store, also when a later term has already begun.
    func begin(_ term: LeaderTerm) async throws -> any MessageStore

    /// Loads a page of history, as ``MessageStore/history(_:application:)`` does.
    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage]
    /// Counts messages, as ``MessageStore/counts(_:application:)`` does.
    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int]

    /// Closes the store. No method is called afterwards, neither of this store nor of those that ``begin(_:)`` has returned.
    func close() async
}

/// A chat store that all servers of a cluster use (rules PG-21 to PG-24).
package protocol SharedChatStore: Sendable {
    /// Begins a term, as ``SharedMessageStore/begin(_:)`` does.
    func begin(_ term: LeaderTerm) async throws -> any ChatStore
    /// Closes the store. No method is called afterwards, neither of this store nor of those that ``begin(_:)`` has returned.
    func close() async
}
