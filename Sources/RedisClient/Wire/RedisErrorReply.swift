/// An error that the server answered with: its first word, and the sentence behind it.
///
/// The sentence is the server's. It can name keys and channels, so it belongs into answers to operators, not into answers to clients.
package struct RedisErrorReply: Error, Hashable, Sendable {
    /// The first word, such as `NOSCRIPT` or `ERR`.
    package let code: String
    package let message: String

    /// How many characters of a word or a sentence are kept.
    private static var longest: Int { 300 }

    package init(_ line: String) {
        let word = line.prefix { $0 != " " }
        code = String(word.prefix(Self.longest))
        message = String(line.dropFirst(word.count + 1).prefix(Self.longest))
    }

    /// The reaction to an error.
    package enum Remedy: Hashable, Sendable {
        /// The server does not know the script: load it, then run it.
        case loadScript
        /// The server is not the master, or not any more: connect anew, to whatever the address leads to then.
        case connectAnew
        /// The server cannot answer yet: repeat the command after a while. It was not carried out.
        case wait
        /// The server accepts no writes until an operator acts: refuse them, and give the reason.
        case refuseWrites
        /// User, password or rights do not fit: repeating would not help before somebody has changed them.
        case stop
        /// The command itself was wrong.
        case fail
    }

    /// Whether a slot is being moved, and not all keys of the command are where it was sent.
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
