import Crypto

/// A Lua script that the server runs by its digest, so that its text is sent once per connection instead of with every call.
package struct RedisScript: Hashable, Sendable {
    /// The script's name in logs and metrics.
    package let name: String
    package let text: String
    /// The SHA-1 of the text in hexadecimal digits, by which the server identifies the script.
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

    /// The command that loads the script on the server.
    var load: RedisCommand { RedisCommand("SCRIPT", "LOAD", .text(text)) }

    /// The command that runs the script, which must be loaded on the server.
    func run(keys: [RedisArgument], arguments: [RedisArgument]) -> RedisCommand {
        RedisCommand("EVALSHA", [.text(digest), .integer(Int64(keys.count))] + keys + arguments)
    }
}

/// A call that a link performs: a command, or the run of a script.
package enum RedisCall: Hashable, Sendable {
    case command(RedisCommand)
    case script(RedisScript, keys: [RedisArgument], arguments: [RedisArgument])

    var isScript: Bool { if case .script = self { true } else { false } }

    /// The command that performs the call. For a script it does not include the command that loads the script.
    var command: RedisCommand {
        switch self {
        case .command(let command): command
        case .script(let script, let keys, let arguments): script.run(keys: keys, arguments: arguments)
        }
    }
}
