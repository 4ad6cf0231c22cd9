import RealtimeHub

/// Something that an application's own server is told.
struct WebhookEvent: Hashable, Sendable {
    /// Only events of one topic go together into one request.
    var topic: String
    /// Events with the same key arrive in their order: a channel, or a user.
    var key: String
    /// A JSON object in UTF-8.
    var body: [UInt8]
}

/// Events that are put together into one request.
struct WebhookBatch: Hashable, Sendable {
    /// Stays the same when the batch is sent again.
    var id: UInt64
    var topic: String
    /// In the order in which they happened; never empty.
    var events: [WebhookEvent]
    /// When the last of them happened.
    var since: HubInstant
    var failures = 0
    /// How many events the receiver had taken when it last refused this.
    var takenBefore = 0
    /// When it is sent again; nil while it is on its way.
    var resend: HubInstant?
}

/// How much a receiver is told at once, and how long it is tried.
struct WebhookPolicy: Hashable, Sendable {
    /// What comes when so much waits is given up.
    var maximumEvents = 10_000
    var maximumBytes = 16 << 20
    var batchLength: Int
    /// A batch takes no more events from here on.
    var batchBytes: Int
    /// How long a batch waits for company.
    var window = Duration.zero
    /// Requests under way at a time.
    var requests: Int
    /// Requests that may wait for another attempt without taking the place of others. Beyond that, they do.
    var postponed = 0
    /// How long an event is worth another attempt.
    var patience = Duration.seconds(300)

    static let firstPause = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(32)

    /// The pause after so many failures in a row.
    ///
    /// - Parameter chance: 0 ..< 1; takes up to half of the pause away, so that what failed together does not come back together.
    static func pause(failures: Int, chance: Double) -> Duration {
        let full = min(firstPause * (1 << min(max(failures - 1, 0), 16)), longestPause)
        return full * (1 - min(max(chance, 0), 1) / 2)
    }
}
