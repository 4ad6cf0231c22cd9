import ServerValues

/// An event for an application's own server.
package struct WebhookEvent: Hashable, Sendable {
    /// Only events of one topic go together into one request.
    package var topic: String
    /// Events with the same key arrive in their order: a channel, or a user.
    package var key: String
    /// A JSON object in UTF-8.
    package var body: [UInt8]
    /// The number by which a ``WebhookJournal`` keeps the event; nil for an event that ends with this process.
    package var number: UInt64?

    package init(topic: String, key: String, body: [UInt8], number: UInt64? = nil) {
        self.topic = topic
        self.key = key
        self.body = body
        self.number = number
    }
}

/// Events that are put together into one request.
package struct WebhookBatch: Hashable, Sendable {
    /// Stays the same when the batch is sent again.
    package var id: UInt64
    package var topic: String
    /// In the order in which they happened; never empty.
    package var events: [WebhookEvent]
    /// When the last of them happened.
    package var since: MonotonicInstant
    package var failures = 0
    /// How many events the receiver had taken when it last refused this.
    package var takenBefore = 0
    /// When it is sent again; nil while it is on its way.
    package var resend: MonotonicInstant?
}

/// How much a receiver gets at once, and how long deliveries are retried.
package struct WebhookPolicy: Hashable, Sendable {
    /// Events beyond this number of queued ones are dropped.
    package var maximumEvents = 10_000
    package var maximumBytes = 16 << 20
    /// The part of these limits that events with one key may use, such as those of one user: one part of this many.
    package var shares = 1
    package var batchLength: Int
    /// A batch that has reached this number of bytes takes no more events.
    package var batchBytes: Int
    /// How long a batch waits for company.
    package var window = Duration.zero
    /// The number of requests in progress at a time.
    package var requests: Int
    /// Requests that may wait for another attempt without taking the place of others. Beyond that, they do.
    package var postponed = 0
    /// How long an event is worth another attempt.
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

    /// The pause after this number of failures in a row.
    ///
    /// - Parameter chance: 0 ..< 1; takes up to half of the pause away, so that what failed together does not come back together.
    package static func pause(failures: Int, chance: Double) -> Duration {
        let full = min(firstPause * (1 << min(max(failures - 1, 0), 16)), longestPause)
        return full * (1 - min(max(chance, 0), 1) / 2)
    }
}
