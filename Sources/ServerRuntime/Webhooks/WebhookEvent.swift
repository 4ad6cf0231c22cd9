import ServerValues

/// An event that a webhook sends to an application's own server.
package struct WebhookEvent: Hashable, Sendable {
    /// The topic of the event in the service's webhook protocol; empty for services without topics. One request contains events of only one
    /// topic.
    package var topic: String
    /// The ordering key: a channel, or a user. Events with the same key are delivered in order.
    package var key: String
    /// The event as a JSON object in UTF-8.
    package var body: [UInt8]
    /// The event's number in a ``WebhookJournal``; nil for an event that is not stored.
    package var number: UInt64?

    package init(topic: String, key: String, body: [UInt8], number: UInt64? = nil) {
        self.topic = topic
        self.key = key
        self.body = body
        self.number = number
    }
}

/// The events of one topic that are sent in one request.
package struct WebhookBatch: Hashable, Sendable {
    /// The id of the batch, which stays the same when the batch is sent again.
    package var id: UInt64
    package var topic: String
    /// The events in the order in which they happened; never empty.
    package var events: [WebhookEvent]
    /// The time when the last of the batch's events happened.
    package var since: MonotonicInstant
    package var failures = 0
    /// The number of events that the receiver had accepted in total when it last refused this batch.
    package var takenBefore = 0
    /// The time at which the batch is sent again; nil while its request is in progress.
    package var resend: MonotonicInstant?
}

/// The limits of a receiver's batches and requests, and how long deliveries are retried.
package struct WebhookPolicy: Hashable, Sendable {
    /// The largest number of queued events. Further events are dropped.
    package var maximumEvents = 10_000
    package var maximumBytes = 16 << 20
    /// Events with one key, such as those of one user, may use the limits divided by this number.
    package var shares = 1
    package var batchLength: Int
    /// The size in bytes at which a batch is complete.
    package var batchBytes: Int
    /// How long a batch waits for further events before it is sent.
    package var window = Duration.zero
    /// The largest number of requests in progress at a time.
    package var requests: Int
    /// Batches that wait to be sent again count against `requests` only if there are more of them than this number.
    package var postponed = 0
    /// How long the delivery of an event is retried before the event is dropped.
    package var patience = Duration.seconds(300)

    package init(
        maximumEvents: Int = 10_000, maximumBytes: Int = 16 << 20, shares: Int = 1, batchLength: Int, batchBytes: Int,
        window: Duration = .zero,
        requests: Int, postponed: Int = 0, patience: Duration = .seconds(300)
    ) {
        self.maximumEvents = maximumEvents
        self.maximumBytes = maximumBytes
        self.shares = max(shares, 1)
        self.batchLength = batchLength
        self.batchBytes = batchBytes
        self.window = window
        self.requests = requests
        self.postponed = postponed
        self.patience = patience
    }

    package static let firstPause = Duration.milliseconds(500)
    package static let longestPause = Duration.seconds(32)

    /// Returns the pause after this number of failures in a row.
    ///
    /// - Parameter chance: a random number in 0 ..< 1 that shortens the pause by up to half, so that requests that failed together are not
    ///   repeated together.
    package static func pause(failures: Int, chance: Double) -> Duration {
        let full = min(firstPause * (1 << min(max(failures - 1, 0), 16)), longestPause)
        return full * (1 - min(max(chance, 0), 1) / 2)
    }
}
