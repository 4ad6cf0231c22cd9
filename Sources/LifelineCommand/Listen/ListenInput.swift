/// One command on the standard input of `lifeline listen`.
enum ListenInput: Hashable, Sendable {
    case subscribe(String)
    case unsubscribe(String)
    /// `json` as it was written; checked when it is published.
    case publish(channel: String, json: String)
    case disconnect
    case connect
    case status
    case quit

    static let summary = "subscribe C, unsubscribe C, publish C JSON, disconnect, connect, status, quit"

    /// Nil for an empty line.
    ///
    /// - Throws: ``CommandFailure`` that says what the commands are.
    static func parse(_ line: String) throws(CommandFailure) -> ListenInput? {
        let words = line.split(maxSplits: 2, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" || $0 == "\r" }
        guard let verb = words.first else { return nil }
        switch (verb, words.count) {
        case ("subscribe", 2): return .subscribe(String(words[1]))
        case ("unsubscribe", 2): return .unsubscribe(String(words[1]))
        case ("publish", 3): return .publish(channel: String(words[1]), json: String(words[2]))
        case ("disconnect", 1): return .disconnect
        case ("connect", 1): return .connect
        case ("status", 1): return .status
        case ("quit", 1): return .quit
        default: throw CommandFailure("\"\(verb)\" is not understood like that. Commands, one a line: \(summary).")
        }
    }
}
