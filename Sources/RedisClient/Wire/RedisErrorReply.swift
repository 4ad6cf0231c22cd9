/// An error answer of the server: its first word, and the sentence after that word.
///
/// The sentence comes from the server. It can contain names of keys and channels, so it may be shown to operators, but not to clients.
package struct RedisErrorReply: Error, Hashable, Sendable {
    /// The first word of the answer, such as `NOSCRIPT` or `ERR`.
    package let code: String
    package let message: String

    /// The largest number of characters that are stored of the word and of the sentence.
    private static var longest: Int { 300 }

    package init(_ line: String) {
        let word = line.prefix { $0 != " " }
        code = String(word.prefix(Self.longest))
        message = String(line.dropFirst(word.count + 1).prefix(Self.longest))
    }

    /// The way in which a client has to react to an error answer.
    package enum Remedy: Hashable, Sendable {
        /// The server does not have the script: load it, then run it.
        case loadScript
        /// The server is not the master: find the master again and connect to it.
        case connectAnew
        /// The server cannot answer yet and has not performed the command: repeat the command later.
        case wait
        /// The server accepts no writes until an operator acts: refuse writes, and report the reason.
        case refuseWrites
        /// The user, password or rights are wrong: do not repeat the command until they are changed.
        case stop
        /// The command itself was wrong, so its caller gets the error.
        case fail
    }

    /// Whether the slot of the command is being moved, so that the server does not have all of its keys.
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
