/// How long the demonstration pauses, so that people can read its lines. No check of the demonstration depends on it.
enum DemoPace: Sendable {
    case normal, slow

    /// The pause before a line that announces a step, and between that line and the step itself.
    var pause: Duration { self == .slow ? .seconds(3) : .milliseconds(800) }
}
