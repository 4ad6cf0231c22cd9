import NIOCore
import RedisClient
import ServerRuntime

/// Checks, one after the other, the properties of Redis that a cluster needs. Used at the start of a server and by `lifeline doctor`.
package struct RedisExamination: Sendable {
    package enum Question: String, Hashable, Sendable, CaseIterable {
        case server, rights, eviction, memory, persistence, replicas, buffers, clock, latency
    }

    package enum Verdict: Hashable, Sendable {
        /// The check passed. The text describes what was found.
        case passed(String)
        /// The check passed, but the advice recommends a change or names a limitation.
        case noted(String, advice: String)
        /// The check failed: a server cannot use this Redis.
        case failed(String, advice: String)
    }

    package typealias Ask = @Sendable (RedisCommand) async throws(RedisFailure) -> RedisValue

    private let keys: ClusterKeys
    private let ask: Ask
    private let unixMilliseconds: @Sendable () -> Int64
    private let measure: @Sendable (() async -> Void) async -> Duration
    /// A random number in the name of this examination's key, so that examinations at the same time use different keys.
    private let token: UInt64

    /// - Parameters:
    ///   - ask: performs a command.
    ///   - unixMilliseconds: the Unix time of this machine.
    ///   - token: a random number.
    ///   - measure: measures the duration of a closure.
    package init(
        keys: ClusterKeys, unixMilliseconds: @escaping @Sendable () -> Int64, token: UInt64,
        measure: @escaping @Sendable (() async -> Void) async -> Duration = { body in
            await ContinuousClock().measure { await body() }
        },
        ask: @escaping Ask
    ) {
        self.keys = keys
        self.ask = ask
        self.unixMilliseconds = unixMilliseconds
        self.measure = measure
        self.token = token
    }

    /// Returns the first problem that prevents a server from starting; nil for none.
    package func obstacle() async -> (meaning: String, advice: String)? {
        for question in [Question.server, .rights, .eviction] {
            if case .failed(let meaning, let advice) = await answer(question) { return (meaning, advice) }
        }
        return nil
    }

    package func answer(_ question: Question) async -> Verdict {
        do throws(RedisFailure) {
            return switch question {
            case .server: try await server()
            case .rights: try await rights()
            case .eviction: try await eviction()
            case .memory: try await memory()
            case .persistence: try await persistence()
            case .replicas: try await replicas()
            case .buffers: try await buffers()
            case .clock: try await clock()
            case .latency: try await latency()
            }
        } catch {
            return refused(question, error)
        }
    }

    private func refused(_ question: Question, _ failure: RedisFailure) -> Verdict {
        guard case .refused(let reply) = failure else {
            return .failed(
                "Redis did not answer in time.", advice: "Check the load of Redis and of the network, then try again.")
        }
        switch reply.remedy {
        case .stop where question != .server && question != .rights:
            return .noted(
                "not allowed to ask", advice: "Allow the Redis user INFO and CONFIG|GET, or check this setting yourself.")
        case .refuseWrites where reply.code == "NOREPLICAS":
            return .failed(
                "Redis takes no writes: \(reply)",
                advice: "Start as many replicas as min-replicas-to-write requires, or lower that setting.")
        case .refuseWrites:
            return .failed(
                "Redis takes no writes: \(reply)",
                advice: "Read the log of Redis for the cause, and give Redis more memory or disk space.")
        default:
            return .failed(
                "Redis refuses a command: \(reply)",
                advice: "Allow the user ~\(keys.pattern) &\(keys.pattern) +@all.\(Self.missing(reply))")
        }
    }

    /// Returns a sentence with the missing right that an error of Redis names; empty if it names none.
    private static func missing(_ reply: RedisErrorReply) -> String {
        reply.missingRight.map { " The user lacks the right \($0), and perhaps others." } ?? ""
    }

    private func info(_ section: String) async throws(RedisFailure) -> RedisInfo {
        RedisInfo(try await ask(RedisCommand("INFO", .text(section))))
    }

    // MARK: Questions

    private func server() async throws(RedisFailure) -> Verdict {
        let role = try await ask(RedisCommand("ROLE")).elements?.first?.text ?? ""
        guard role == "master" else {
            return .failed(
                "This Redis server is a replica, which accepts no writes.", advice: "Use the address of its master.")
        }
        let fields = try await info("server")
        let product =
            fields["server_name"] == "valkey"
            ? "Valkey \(fields["valkey_version"] ?? "")" : "Redis \(fields["redis_version"] ?? "")"
        return .passed("\(product), master\(fields["redis_mode"] == "cluster" ? " of a cluster's shard" : "")")
    }

    /// Performs the kinds of commands that a node uses, with a key of this examination that expires after a minute.
    private func rights() async throws(RedisFailure) -> Verdict {
        let key = keys.key("doctor:" + String(token, radix: 16))
        let commands = [
            RedisCommand("EVAL", ["return redis.call('TIME')", "0"]),
            RedisCommand("DEL", key), RedisCommand("XADD", key, "*", "b", "1"), RedisCommand("PEXPIRE", key, "60000"),
            RedisCommand("XRANGE", key, "-", "+"), RedisCommand("DEL", key), RedisCommand("HSET", key, "a", "1"),
            RedisCommand("PEXPIRE", key, "60000"), RedisCommand("HGETALL", key), RedisCommand("HDEL", key, "a"),
            RedisCommand("DEL", key),
            RedisCommand("PUBLISH", .text(keys.name("doctor")), "1"),
            RedisCommand("PUBSUB", "NUMSUB", .text(keys.name("doctor"))),
        ]
        for command in commands {
            do throws(RedisFailure) {
                _ = try await ask(command)
            } catch {
                guard case .refused(let reply) = error, reply.remedy != .refuseWrites else { throw error }
                return .failed(
                    "Redis refuses \(command.name): \(reply)",
                    advice:
                        "Allow the user ~\(keys.pattern) &\(keys.pattern) +@all, or check rename-command in the configuration of Redis."
                        + Self.missing(reply))
            }
        }
        return .passed("scripts, streams, hashes and messages are allowed")
    }

    private func eviction() async throws(RedisFailure) -> Verdict {
        guard let policy = try await info("memory").evictionPolicy else { return .passed("noeviction") }
        return .failed("Redis deletes keys when its memory is full (maxmemory-policy \(policy)).", advice: Self.evictionAdvice)
    }

    /// The advice about a policy under which Redis deletes keys. It is also given when no `maxmemory` is set, because that may be set at
    /// any time.
    package static let evictionAdvice =
        "Set maxmemory-policy to noeviction: a Redis that deletes keys when its memory is full loses messages without an error."

    private func memory() async throws(RedisFailure) -> Verdict {
        let fields = try await info("memory")
        let used = Int64(fields["used_memory"] ?? "") ?? 0
        let limit = Int64(fields["maxmemory"] ?? "") ?? 0
        let text = "\(used / 1_048_576) MiB used"
        guard limit > 0 else {
            return .noted(
                "\(text), no limit",
                advice: "Set maxmemory below the memory of the machine, so that Redis refuses writes before the system kills it.")
        }
        guard used < limit / 10 * 8 else {
            return .noted(
                "\(text) of \(limit / 1_048_576) MiB",
                advice: "Increase maxmemory, because Redis refuses writes when it uses that much memory.")
        }
        return .passed("\(text) of \(limit / 1_048_576) MiB")
    }

    private func persistence() async throws(RedisFailure) -> Verdict {
        let fields = try await info("persistence")
        guard fields["aof_enabled"] == "1" else {
            return .noted(
                "no append-only file",
                advice:
                    "Set appendonly yes. Without it, a restart of Redis loses all histories and inboxes, and clients miss messages."
            )
        }
        guard fields["aof_last_write_status"] != "err" else {
            return .failed(
                "Redis cannot write its append-only file.",
                advice: "Check the disk on which Redis stores this file, and read the log of Redis.")
        }
        let when = try await setting("appendfsync")
        switch when {
        case "always": return .passed("append-only file, written at once")
        case nil: return .passed("append-only file")
        default:
            return .passed("append-only file, written every second: at most that is lost, and declared")
        }
    }

    private func setting(_ name: String) async throws(RedisFailure) -> String? {
        do throws(RedisFailure) {
            let value = try await ask(RedisCommand("CONFIG", "GET", .text(name)))
            return value[name]?.text ?? value.elements?.last?.text
        } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    private func replicas() async throws(RedisFailure) -> Verdict {
        let fields = try await info("replication")
        let count = Int(fields["connected_slaves"] ?? "") ?? 0
        guard count > 0 else { return .passed("none") }
        guard let least = try await setting("min-replicas-to-write").flatMap({ Int($0) }) else { return .passed("\(count)") }
        if least >= count {
            return .noted(
                "\(count), and \(least) of them must be there for every write",
                advice:
                    "Add a replica, or set min-replicas-to-write \(count - 1): now every write needs all replicas, so the failure of one of them stops all writes."
            )
        }
        guard least == 0, count > 1 else { return .passed("\(count)") }
        return .noted(
            "\(count), and none of them is waited for",
            advice:
                "Set min-replicas-to-write 1, so that a master without a connection to its replicas accepts no writes that would be lost."
        )
    }

    private func buffers() async throws(RedisFailure) -> Verdict {
        guard let text = try await setting("client-output-buffer-limit") else {
            return .noted(
                "not allowed to ask",
                advice:
                    "Allow the Redis user CONFIG|GET, or check that client-output-buffer-limit for pubsub is at least 256mb 64mb 60."
            )
        }
        let words = text.split(separator: " ")
        // in bounds: the guard compares `words.count` with `index + 3` first.
        guard let index = words.firstIndex(of: "pubsub"), words.count > index + 3, let hard = Int64(words[index + 1]),
            // in bounds: there are more than `index + 3` words.
            let soft = Int64(words[index + 2])
        else { return .passed(text) }
        let summary = "pubsub \(hard / 1_048_576) MiB, \(soft / 1_048_576) MiB for \(words[index + 3]) s"
        guard hard == 0 || hard >= 64 * 1_048_576 else {
            return .noted(
                summary,
                advice:
                    "Set client-output-buffer-limit pubsub 256mb 64mb 60: otherwise Redis disconnects a node that reads slowly for a moment, which then has to read the missed batches."
            )
        }
        return .passed(summary)
    }

    private func clock() async throws(RedisFailure) -> Verdict {
        let before = unixMilliseconds()
        let time = try await ask(RedisCommand("TIME")).elements ?? []
        let after = unixMilliseconds()
        guard time.count == 2, let seconds = time[0].number, let micros = time[1].number else { return .passed("unknown") }
        // The numbers are limited before they are used, so that an absurd time cannot crash this process by an overflow.
        guard (0..<100_000_000_000).contains(seconds), (0..<1_000_000).contains(micros) else { return .passed("unknown") }
        let difference = seconds * 1_000 + micros / 1_000 - (before + after) / 2
        let text = "\(abs(difference)) ms \(difference < 0 ? "behind" : "ahead of") this machine"
        guard abs(difference) > 2_000 else { return .passed(text) }
        return .noted(
            text,
            advice:
                "Synchronize the clocks of all machines with NTP. Messages keep their order anyway, but get the time of the leader."
        )
    }

    private func latency() async throws(RedisFailure) -> Verdict {
        var times: [Duration] = []
        // A failed PING is measured like the others, because other checks report failures.
        for _ in 0..<20 { times.append(await measure { _ = try? await ask(RedisCommand("PING")) }) }
        times.sort()
        // in bounds: there are twenty measured times.
        let (median, worst) = (times[times.count / 2], times[times.count - 1])
        func text(_ duration: Duration) -> String { "\(Int(duration / .microseconds(1))) µs" }
        let summary = "\(text(median)), at most \(text(worst)) of 20"
        guard median > .milliseconds(20) else { return .passed(summary) }
        return .noted(summary, advice: "Run the servers closer to Redis, because every message waits for one answer of Redis.")
    }
}

extension RedisErrorReply {
    /// The rule of `ACL SETUSER` that would allow the refused command, such as `+role` or `+client|setname`. Nil for errors with another
    /// cause.
    package var missingRight: String? {
        guard code == "NOPERM", message.contains("permissions to run the '") else { return nil }
        let parts = message.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty,
            parts[1].utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) || "|-_.".utf8.contains($0) })
        else { return nil }
        return "+\(parts[1].lowercased())"
    }
}
