/// Where an ``Outbox`` stores its messages: ``memory``, or `disk` of the module `LifelineOutbox`.
public struct OutboxStorage: Sendable {
    /// An opened storage, with the messages that it contained.
    package struct Opened: Sendable {
        package var store: any OutboxStore
        /// The stored records, in any order.
        package var records: [OutboxRecord]
        /// Whether a damaged file was moved aside, so that the storage is new and empty.
        package var isRecreated: Bool

        package init(store: any OutboxStore, records: [OutboxRecord], isRecreated: Bool) {
            self.store = store
            self.records = records
            self.isRecreated = isRecreated
        }
    }

    /// Opens the storage of an owner; nil for a storage in memory, which needs no opening.
    let open: (@Sendable (OutboxOwner) async throws(LifelineError) -> Opened)?

    private init(open: (@Sendable (OutboxOwner) async throws(LifelineError) -> Opened)?) {
        self.open = open
    }

    /// A storage whose messages survive the end of the process.
    package static func durable(_ open: @escaping @Sendable (OutboxOwner) async throws(LifelineError) -> Opened) -> OutboxStorage
    {
        OutboxStorage(open: open)
    }

    /// Messages are stored in memory only; unsent messages are lost when the process ends.
    public static let memory = OutboxStorage(open: nil)
}

/// The owner of an outbox: a storage separates the messages of different owners (rule LL-99).
package struct OutboxOwner: Hashable, Sendable {
    /// The service's name in logs and metrics.
    package var service: String
    /// The application's key at the service.
    package var key: String
    /// The user id; empty for a client without a user.
    package var user: String

    package init(service: String, key: String, user: String) {
        self.service = service
        self.key = key
        self.user = user
    }
}

/// Stores the messages of one outbox. The outbox makes one call at a time.
package protocol OutboxStore: AnyObject, Sendable {
    /// Makes the changes in order, all or none. When the call returns, the changes survive a power failure.
    func apply(_ changes: [OutboxChange]) async throws(LifelineError)
    /// Releases the store's resources. The outbox calls no method afterwards.
    func close() async
}

/// A change of a stored message: a new record, an updated record or a removal.
package enum OutboxChange: Hashable, Sendable {
    case insert(OutboxRecord)
    /// Replaces all fields of a stored message except channel, event, payload and options.
    case update(OutboxRecord)
    case remove(id: String)
}

/// A message of an outbox in its stored form.
package struct OutboxRecord: Hashable, Sendable {
    /// The stored state of a message. Its numbers are written to disk and must not change.
    package enum State: Int, Hashable, Sendable {
        case waiting = 0
        case sending = 1
        case refused = 2
        case unknown = 3
        case expired = 4
    }

    package var id: String
    /// The position among all messages of the outbox: a message with a lower number is sent earlier in its channel.
    package var order: Int64
    package var channel: String
    package var event: String
    package var json: String
    /// As in ``PublishOptions``.
    package var isStored: Bool?
    /// When the message was enqueued, or retried last; seconds since 1970.
    package var enqueued: Int64
    /// How long the message may wait after `enqueued`, in seconds.
    package var lifetime: Int64
    package var state = State.waiting
    /// When the message may have been sent for the first time; seconds since 1970. Nil if it certainly was not sent.
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
