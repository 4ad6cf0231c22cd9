/// How much time the demonstration leaves its readers. Nothing that is waited for depends on it.
enum DemoPace: Sendable {
    case normal, slow

    /// Between a cause and its effects, and before the next cause.
    var pause: Duration { self == .slow ? .seconds(3) : .milliseconds(800) }

    /// How many times as long the quiet times of the Pusher part are.
    var factor: Int { self == .slow ? 3 : 1 }
}
