import Crypto

/// A Lua script that the server runs by its digest, so that its text is sent once for each connection and not with every call.
package struct RedisScript: Hashable, Sendable {
    /// The script's name in logs and metrics.
    package let name: String
    package let text: String
    /// The SHA-1 of the text, in hexadecimal digits: the server's identifier of the script.
    package let digest: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
        let digits = Array("0123456789abcdef".unicodeScalars)
        var digest = String.UnicodeScalarView()
        for byte in Insecure.SHA1.hash(data: Array(text.utf8)) {
            digest.append(digits[Int(byte >> 4)])
            digest.append(digits[Int(byte & 15)])
        }
        self.digest = String(digest)
    }

    /// Loads the script on the server.
    var load: RedisCommand { RedisCommand("SCRIPT", "LOAD", .text(text)) }

    /// Runs the script, which must be loaded on the server.
    func run(keys: [RedisArgument], arguments: [RedisArgument]) -> RedisCommand {
        RedisCommand("EVALSHA", [.text(digest), .integer(Int64(keys.count))] + keys + arguments)
    }
}

/// A call to a link.
package enum RedisCall: Hashable, Sendable {
    case command(RedisCommand)
    case script(RedisScript, keys: [RedisArgument], arguments: [RedisArgument])

    var isScript: Bool { if case .script = self { true } else { false } }

    /// The command that is sent, in addition to the one that loads a script.
    var command: RedisCommand {
        switch self {
        case .command(let command): command
        case .script(let script, let keys, let arguments): script.run(keys: keys, arguments: arguments)
        }
    }
}
