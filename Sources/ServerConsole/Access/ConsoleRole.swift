/// The role of a user who has logged in.
package enum ConsoleRole: String, Hashable, Sendable {
    /// May view the console, publish messages, and close connections.
    case admin
    /// May only view the console.
    case reader = "read-only"

    package var mayChange: Bool { self == .admin }
}
