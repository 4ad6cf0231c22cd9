/// The role of a user who has logged in.
package enum ConsoleRole: String, Hashable, Sendable {
    /// Looks on, publishes, and ends connections.
    case admin
    /// Looks on only.
    case reader = "read-only"

    package var mayChange: Bool { self == .admin }
}
