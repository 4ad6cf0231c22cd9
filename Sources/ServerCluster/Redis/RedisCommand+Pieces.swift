import RedisClient

extension RedisCommand {
    /// The largest number of words in one command of a batch: Lua's `unpack`, with which `commit.lua` runs it, fails at about 8,000
    /// results, and a script that fails is not undone.
    static let longestInScript = 7_000

    /// The command divided into several with the same total effect, each with at most ``longestInScript`` words.
    ///
    /// Services emit one command for all fields that change together, which is long when a sweep removes many users at once.
    /// Commands whose arguments cannot be divided are returned unchanged.
    var pieces: [RedisCommand] {
        guard arguments.count + 1 > Self.longestInScript, let (fixed, width) = repetition else { return [self] }
        let size = (Self.longestInScript - 1 - fixed) / width * width
        return stride(from: fixed, to: arguments.count, by: size).map { start in
            // in bounds: strides over arguments that are more than the fixed ones.
            RedisCommand(name, Array(arguments[..<fixed] + arguments[start..<min(start + size, arguments.count)]))
        }
    }

    /// The number of arguments before the repeated ones, and the number of arguments in each repetition; nil when none repeat.
    private var repetition: (fixed: Int, width: Int)? {
        switch name {
        case "HSET": (1, 2)
        case "HDEL", "SADD", "SREM", "XDEL", "ZREM": (1, 1)
        case "DEL", "UNLINK": (0, 1)
        default: nil
        }
    }
}
