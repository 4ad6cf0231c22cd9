/// The reason why a command failed, and advice for the user.
struct CommandFailure: Error, Hashable, CustomStringConvertible {
    enum Kind: Int32, Hashable {
        /// The command was tried and failed.
        case failed = 1
        /// The command line or a setting is invalid.
        case usage = 2
    }

    /// The error texts, one per line.
    var message: String
    var kind: Kind

    init(_ message: String, _ kind: Kind = .failed) {
        self.message = message
        self.kind = kind
    }

    /// Joins several failures, without repetitions. Nil for an empty list.
    init?(all failures: [CommandFailure]) {
        guard let first = failures.first else { return nil }
        var seen: Set<String> = []
        let messages = failures.map(\.message).filter { seen.insert($0).inserted }
        self.init(messages.joined(separator: "\n"), first.kind)
    }

    /// The error texts: the lines of `message`.
    var messages: [String] { message.split(separator: "\n").map(String.init) }

    var description: String { message }

    static let redisPrefix = CommandFailure(
        "The prefix of the keys in Redis is not valid. It must have 1 to 64 characters: letters, digits, -, _ and dots.", .usage)
}
