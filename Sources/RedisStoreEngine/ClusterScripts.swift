import NIOCore
import RedisClient
import ServerCluster

/// The Lua scripts of a cluster, whose texts are in `Scripts/`, and the decoding of their results.
enum ClusterScripts {
    static let lead = RedisScript(name: "lead", text: String(decoding: PackageResources.lead_lua, as: UTF8.self))
    static let commit = RedisScript(name: "commit", text: String(decoding: PackageResources.commit_lua, as: UTF8.self))
    static let answer = RedisScript(name: "answer", text: String(decoding: PackageResources.answer_lua, as: UTF8.self))
    static let read = RedisScript(name: "read", text: String(decoding: PackageResources.read_lua, as: UTF8.self))
}

extension ClusterKeys {
    func election(_ candidacy: Candidacy) -> RedisCall {
        let (expected, next) = (
            candidacy.generation.map { String($0) } ?? "", candidacy.successor.map { String($0.incarnation) } ?? ""
        )
        let arguments: [RedisArgument] = [
            .text(candidacy.mode.rawValue), .text(candidacy.node.name), .text(String(candidacy.node.incarnation)),
            .integer(Int64(candidacy.lease / .milliseconds(1))), .text(expected), .text(logChannel),
            .text(String(candidacy.seen)), .text(next), .integer(Int64(candidacy.headStart / .milliseconds(1))),
        ]
        return .script(ClusterScripts.lead, keys: [leader], arguments: arguments)
    }

    /// Makes the Redis call that commits a batch: it appends the batch to the log and performs its writes, if its sender still leads.
    ///
    /// - Parameter namesKeys: whether the call names all keys that the script uses. A Redis Cluster requires this. Otherwise the script
    ///   would start even if one of its keys has been moved to another server, and the command that uses this key would fail.
    func commit(_ commit: ClusterCommit, namesKeys: Bool = false) -> RedisCall {
        let position = commit.batch.position
        var arguments: [RedisArgument] = [
            .text(String(position.generation)), .text(String(position.sequence)), .bytes(commit.bytes),
            .text(logChannel),
            .text(commit.trim?.description ?? ""),
        ]
        for write in commit.writes {
            guard write.isLong else {
                Self.append(write, to: &arguments)
                continue
            }
            for piece in write.pieces { Self.append(piece, to: &arguments) }
        }
        let others = namesKeys ? Set(commit.writes.flatMap(\.keys).map { RedisArgument($0) }).subtracting([leader, log]) : []
        return .script(ClusterScripts.commit, keys: [leader, log] + others, arguments: arguments)
    }

    /// Appends the command that performs a write: the number of its words, and then the words.
    private static func append(_ write: StoreWrite, to arguments: inout [RedisArgument]) {
        let start = arguments.count
        arguments += [0, ""]
        let name = arguments.append(write)
        // in bounds: two elements were appended at `start`.
        arguments[start] = .integer(Int64(arguments.count - start - 1))
        // in bounds: two elements were appended at `start`.
        arguments[start + 1] = .text(name)
    }

    /// Reads the record of the leader, which contains the position of the last batch in the log.
    var readPosition: RedisCall {
        .command(
            RedisCommand(
                "HMGET", [leader, "generation", "sequence", "name", "incarnation", "beforeGeneration", "beforeSequence"]))
    }

    func readLog(after position: ClusterPosition) -> RedisCall {
        .script(
            ClusterScripts.read, keys: [log],
            arguments: [.text(position.description), .integer(Int64(Self.page)), .integer(Int64(Self.pageBytes))])
    }

    /// The largest number of batches in one read of the log. ``pageBytes`` is the largest number of bytes.
    static var page: Int { 200 }
    static var pageBytes: Int { 8_388_608 }

    /// Publishes answers to a node's queries, if the leader that made them still leads.
    func answer(_ answers: ClusterAnswers, to node: ClusterNode) -> RedisCall {
        .script(
            ClusterScripts.answer, keys: [leader],
            arguments: [.text(String(answers.generation)), .text(answersChannel(of: node)), .bytes(answers.encoded())])
    }
}

extension ElectionOutcome {
    /// Decodes the outcome of an election.
    ///
    /// - Parameter value: the result of `lead.lua`.
    init(_ value: RedisValue) {
        let words = (value.elements ?? []).map(\.text)
        func number(_ index: Int) -> UInt64? { words.count > index ? words[index].flatMap { UInt64($0) } : nil }
        switch words.first {
        case "elected":
            if let generation = number(1), let before = number(2), let sequence = number(3) {
                self = .elected(
                    generation: generation, previous: ClusterPosition(generation: before, sequence: sequence),
                    former: FormerLeader(words.dropFirst(4)))
            } else {
                self = .failed
            }
        case "leading": self = .leading
        case "following":
            self = ClusterLeaderRecord(Array((value.elements ?? []).dropFirst())).map { .following($0) } ?? .failed
        case "vacant": self = .vacant
        default: self = .failed
        }
    }
}

extension FormerLeader {
    /// Decodes the former leader; nil if `words` are incomplete.
    ///
    /// - Parameter words: its name, its incarnation, and the time since it renewed its lease, in milliseconds.
    fileprivate init?(_ words: ArraySlice<String?>) {
        let words = words.compactMap(\.self)
        guard words.count == 3, let incarnation = UInt64(words[1]), let silence = Int64(words[2]) else { return nil }
        self.init(node: ClusterNode(name: words[0], incarnation: incarnation), silence: .milliseconds(silence))
    }
}

extension ClusterLeaderRecord {
    /// Decodes the record of a leader; nil if `fields` are incomplete.
    ///
    /// - Parameter fields: generation, sequence, name, incarnation, and the generation and sequence of the preceding batch.
    init?(_ fields: [RedisValue]) {
        guard fields.count == 6, let generation = fields[0].text.flatMap({ UInt64($0) }),
            let sequence = fields[1].text.flatMap({ UInt64($0) }), let name = fields[2].text,
            let incarnation = fields[3].text.flatMap({ UInt64($0) })
        else { return nil }
        self.init(
            position: ClusterPosition(generation: generation, sequence: sequence),
            leader: ClusterNode(name: name, incarnation: incarnation),
            previous: ClusterPosition(
                generation: fields[4].text.flatMap { UInt64($0) } ?? 0, sequence: fields[5].text.flatMap { UInt64($0) } ?? 0))
    }
}

extension CommitOutcome {
    /// Decodes the outcome of a commit.
    ///
    /// - Parameter result: the result of `commit.lua`.
    init(_ result: Result<RedisValue, RedisFailure>) {
        switch result {
        case .success(let value):
            let words = value.elements ?? []
            switch words.first?.text {
            case "kept": self = .kept
            case "behind": self = (words.last?.text).flatMap { UInt64($0) }.map { .behind($0) } ?? .fenced
            default: self = .fenced
            }
        case .failure(.refused): self = .refused
        case .failure(.expired), .failure(.unsent), .failure(.overfull): self = .refused
        case .failure(.unanswered), .failure(.lost): self = .unknown
        }
    }
}

extension ClusterBatch {
    /// Decodes the batches in a result of `read.lua`. A batch that cannot be decoded ends the list, because later batches depend on it. The
    /// page is then not marked as the last one of the log. If a node repeatedly reads a page that has no batch and is not the last one, it
    /// treats the batches after its position as lost (rule CR-89).
    static func list(_ value: RedisValue) -> LogPage {
        let answer = value.elements ?? []
        let entries = answer.last?.elements ?? []
        var batches: [ClusterBatch] = []
        for entry in entries {
            guard let fields = entry.elements?.last?.elements, let bytes = fields.last?.bytes,
                let batch = try? ClusterBatch(decoding: bytes)
            else { break }
            batches.append(batch)
        }
        return LogPage(batches, isAll: answer.first?.number == 0 && batches.count == entries.count)
    }
}
