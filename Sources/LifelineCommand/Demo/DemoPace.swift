/// The pauses of the demonstration for its readers. No condition depends on them.
enum DemoPace: Sendable {
    case normal, slow

    /// The pause between a cause and its effects, and before the next cause.
    var pause: Duration { self == .slow ? .seconds(3) : .milliseconds(800) }
}
