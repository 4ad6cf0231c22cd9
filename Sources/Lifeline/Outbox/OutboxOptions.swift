/// Limits and behaviour of an ``Outbox``.
public struct OutboxOptions: Hashable, Sendable {
    /// How long a message may wait before it becomes ``OutboxOutcome/expired``; 24 h by default. A lifetime given with a message has
    /// precedence. Clamped to 1 s to 30 d. See <doc:SendingWhenOffline> for the clock.
    public var lifetime: Duration {
        didSet { lifetime = lifetime.clamped(to: Self.lifetimes) }
    }
    /// The most messages that the outbox holds, including failed ones; 1,000 by default. Clamped to 1 to 10,000.
    public var maximumEntries: Int {
        didSet { maximumEntries = Self.bounded(maximumEntries, 10_000) }
    }
    /// The most bytes of channel names, event names and payloads that the outbox holds; 4 MiB by default. Clamped to 1 to 1 GiB.
    public var maximumBytes: Int {
        didSet { maximumBytes = Self.bounded(maximumBytes, 1 << 30) }
    }
    /// How many channels may send at the same time, each one message; 4 by default. Clamped to 1 to 64.
    public var maximumChannels: Int {
        didSet { maximumChannels = Self.bounded(maximumChannels, 64) }
    }
    /// Whether a message whose outcome is unknown is sent again even if its service does not recognise the repetition, so that it may
    /// arrive twice; false by default. Use it for apps whose receivers ignore duplicates, for example by an id in the payload.
    public var repeatsUnknown: Bool

    /// Makes options. The defaults suit messages that people write.
    public init(
        lifetime: Duration = .seconds(86_400), maximumEntries: Int = 1_000, maximumBytes: Int = 4 << 20, maximumChannels: Int = 4,
        repeatsUnknown: Bool = false
    ) {
        self.lifetime = lifetime.clamped(to: Self.lifetimes)
        self.maximumEntries = Self.bounded(maximumEntries, 10_000)
        self.maximumBytes = Self.bounded(maximumBytes, 1 << 30)
        self.maximumChannels = Self.bounded(maximumChannels, 64)
        self.repeatsUnknown = repeatsUnknown
    }

    static let lifetimes = Duration.seconds(1)...Duration.seconds(30 * 86_400)

    private static func bounded(_ value: Int, _ most: Int) -> Int { min(max(value, 1), most) }
}
