/// One command on the standard input of `lifeline listen`.
enum ListenInput: Hashable, Sendable {
    case subscribe(String)
    case unsubscribe(String)
    /// Publishes a message. `json` is the unchanged text, which is checked when it is published.
    case publish(channel: String, json: String)
    case disconnect
    case connect
    case status
    case quit

    static let summary = "subscribe C, unsubscribe C, publish C JSON, disconnect, connect, status, quit"

    /// Parses a line; returns nil for an empty line.
    ///
    /// - Throws: ``CommandFailure`` with a list of the commands.
    static func parse(_ line: String) throws(CommandFailure) -> ListenInput? {
        // Rule CL-121.
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\u{FEFF}" }
        var rest = line[...]
        var words: [Substring] = []
        while words.count < 3 {
            rest = rest.drop(while: isBlank)
            guard !rest.isEmpty else { break }
            // The third word of `publish` is the data, with its spaces, up to the end of the line.
            let word = words.count == 2 ? rest : rest.prefix { !isBlank($0) }
            rest = rest.dropFirst(word.count)
            words.append(word)
        }
        guard let verb = words.first else { return nil }
        switch (verb, words.count) {
        case ("subscribe", 2): return .subscribe(String(words[1]))
        case ("unsubscribe", 2): return .unsubscribe(String(words[1]))
        case ("publish", 3): return .publish(channel: String(words[1]), json: String(words[2]))
        case ("disconnect", 1): return .disconnect
        case ("connect", 1): return .connect
        case ("status", 1): return .status
        case ("quit", 1): return .quit
        default:
            throw CommandFailure(
                "\"\(verb)\" is not a command, or has the wrong number of arguments. Enter one of these commands per line: \(summary)."
            )
        }
    }
}
