/// The storage of an ``Outbox``. The module `LifelineOutbox` adds `disk`.
public struct OutboxStorage: Sendable {
    /// The contents of a storage when it was opened.
    package struct Opened: Sendable {
        package var store: any OutboxStore
        /// The stored records, in any order.
        package var records: [OutboxRecord]
        /// Whether a damaged file was moved aside.
        package var isRecreated: Bool

        package init(store: any OutboxStore, records: [OutboxRecord], isRecreated: Bool) {
            self.store = store
            self.records = records
            self.isRecreated = isRecreated
        }
    }

    /// Opens the storage of an owner; nil for a storage in memory.
    let open: (@Sendable (OutboxOwner) async throws(LifelineError) -> Opened)?

    private init(open: (@Sendable (OutboxOwner) async throws(LifelineError) -> Opened)?) {
        self.open = open
    }

    /// A storage that keeps messages after the end of the process.
    package static func durable(_ open: @escaping @Sendable (OutboxOwner) async throws(LifelineError) -> Opened) -> OutboxStorage
    {
        OutboxStorage(open: open)
    }

    /// In memory: unsent messages are lost when the process ends.
    public static let memory = OutboxStorage(open: nil)
}

/// The owner of an outbox: a storage separates the messages of different owners (rule LL-99).
package struct OutboxOwner: Hashable, Sendable {
    /// The service's name in logs and metrics.
    package var service: String
    /// The application's key at the service.
    package var key: String
    /// The user; empty for a client without one.
    package var user: String

    package init(service: String, key: String, user: String) {
        self.service = service
        self.key = key
        self.user = user
    }
}

/// Keeps the messages of one outbox. Calls come one after the other.
package protocol OutboxStore: AnyObject, Sendable {
    /// Makes the changes in order, all or none. They survive a loss of power once this returns.
    func apply(_ changes: [OutboxChange]) async throws(LifelineError)
    /// Releases the store's resources. No method is called afterwards.
    func close() async
}

/// A change of the stored messages.
package enum OutboxChange: Hashable, Sendable {
    case insert(OutboxRecord)
    /// Replaces everything except channel, event, payload and options.
    case update(OutboxRecord)
    case remove(id: String)
}

/// A message in its stored form.
package struct OutboxRecord: Hashable, Sendable {
    /// The numbers are written to disk.
    package enum State: Int, Hashable, Sendable {
        case waiting = 0
        case sending = 1
        case refused = 2
        case unknown = 3
        case expired = 4
    }

    package var id: String
    /// The place in the order of all messages.
    package var order: Int64
    package var channel: String
    package var event: String
    package var json: String
    /// As in ``PublishOptions``.
    package var isStored: Bool?
    /// When the message was enqueued, or retried last; seconds since 1970.
    package var enqueued: Int64
    /// The lifetime in seconds.
    package var lifetime: Int64
    package var state = State.waiting
    /// When the message may have been sent for the first time; seconds since 1970. Nil when it certainly was not sent.
    package var firstSent: Int64?
    /// Why the message failed; for a waiting message, why the outcome of an earlier attempt is unknown.
    package var error: LifelineError?

    package init(
        id: String, order: Int64, channel: String, event: String, json: String, isStored: Bool?, enqueued: Int64, lifetime: Int64
    ) {
        self.id = id
        self.order = order
        self.channel = channel
        self.event = event
        self.json = json
        self.isStored = isStored
        self.enqueued = enqueued
        self.lifetime = lifetime
    }
}
