import RedisClient

extension RedisCommand {
    /// How many words one command of a batch may have: Lua's `unpack`, by which `commit.lua` runs it, fails at about 8,000 results, and what
    /// fails in the middle of a script is not undone.
    static let longestInScript = 7_000

    /// The command as several that do the same when they run one after the other, each with at most ``longestInScript`` words.
    ///
    /// Services emit one command for all fields that change together; a sweep that ends many users at once makes it long. Commands whose
    /// arguments cannot be divided are returned as they are.
    var pieces: [RedisCommand] {
        guard arguments.count + 1 > Self.longestInScript, let (fixed, width) = repetition else { return [self] }
        let size = (Self.longestInScript - 1 - fixed) / width * width
        return stride(from: fixed, to: arguments.count, by: size).map { start in
            // in bounds: strides over arguments that are more than the fixed ones.
            RedisCommand(name, Array(arguments[..<fixed] + arguments[start..<min(start + size, arguments.count)]))
        }
    }

    /// How many arguments come once, before those that repeat, and how many of these belong together; nil when none repeat.
    private var repetition: (fixed: Int, width: Int)? {
        switch name {
        case "HSET": (1, 2)
        case "HDEL", "SADD", "SREM", "XDEL", "ZREM": (1, 1)
        case "DEL", "UNLINK": (0, 1)
        default: nil
        }
    }
}
