/// An error answer of the server: its first word, and the sentence behind it.
///
/// The sentence comes from the server. It can contain names of keys and channels, so it belongs in answers to operators, not in
/// answers to clients.
package struct RedisErrorReply: Error, Hashable, Sendable {
    /// The first word, such as `NOSCRIPT` or `ERR`.
    package let code: String
    package let message: String

    /// The largest number of characters that are kept of a word or a sentence.
    private static var longest: Int { 300 }

    package init(_ line: String) {
        let word = line.prefix { $0 != " " }
        code = String(word.prefix(Self.longest))
        message = String(line.dropFirst(word.count + 1).prefix(Self.longest))
    }

    /// The reaction to an error.
    package enum Remedy: Hashable, Sendable {
        /// The server does not have the script: load it, then run it.
        case loadScript
        /// The server is not, or no longer, the master: connect again, to the server that the locator finds then.
        case connectAnew
        /// The server cannot answer yet: repeat the command later. It was not performed.
        case wait
        /// The server accepts no writes until an operator acts: refuse them, and give the reason.
        case refuseWrites
        /// The user, password or rights are wrong: repeating does not help until they are changed.
        case stop
        /// The command itself was wrong.
        case fail
    }

    /// Whether a slot is being moved, so that the server does not have all keys of the command.
    package var isSplit: Bool { code == "ASK" || code == "TRYAGAIN" }

    package var remedy: Remedy {
        switch code {
        case "NOSCRIPT": .loadScript
        case "READONLY", "MASTERDOWN", "MOVED": .connectAnew
        case "LOADING", "BUSY", "ASK", "TRYAGAIN", "CLUSTERDOWN": .wait
        case "OOM", "MISCONF", "NOREPLICAS": .refuseWrites
        case "WRONGPASS", "NOPERM", "NOAUTH": .stop
        default: .fail
        }
    }
}

extension RedisErrorReply: CustomStringConvertible {
    package var description: String { message.isEmpty ? code : "\(code) \(message)" }
}
