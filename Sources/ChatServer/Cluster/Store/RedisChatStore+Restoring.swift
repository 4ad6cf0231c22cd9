import Foundation
import Identifiers
import NIOCore
import RedisClient
import ServerCluster
import ServerStorage

extension RedisChatStore {
    package func restore() async throws -> RestoredChat {
        try await settle()
        var names: Set<Identifier> = []
        try await scan(keys.applications) { page in
            for (field, _) in page { names.insert(try Self.name(field)) }
        }
        return try await restore(known: names)
    }

    package func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        try await settle()
        var known: Set<Identifier> = []
        for name in applications where try await read("HEXISTS", keys.applications, .text(name.text)).number == 1 {
            known.insert(name)
        }
        return try await restore(known: known)
    }

    private func restore(known names: Set<Identifier>) async throws -> RestoredChat {
        var restored = RestoredChat(epoch: try await epoch())
        for key in [keys.highest, keys.reserved] {
            let id = try await read("GET", key).text.flatMap { UInt64($0) } ?? 0
            // CR-42: later ids are counted from this one, and have 63 bits.
            restored.highestID = max(restored.highestID, min(id, UInt64(Int64.max)))
        }
        // The ids that were assigned last are not known, and none of them may be assigned again.
        if hasLost { restored.highestID = max(restored.highestID, now()) + Self.leap }
        raise(restored.highestID)
        for name in names { restored.applications[name] = try await application(name) }
        if hasLost {
            let last = restored.applications.values.lazy.flatMap(\.inboxes.values).map(\.last).max() ?? 0
            restored.epoch = ChatEpoch(restored.epoch).afterLoss(last: last).text
            output.write([RedisCommand("SET", keys.epoch, .text(restored.epoch))], of: .chat)
        }
        return restored
    }

    /// Ten seconds, in units of 100 ns.
    private static var leap: UInt64 { 100_000_000 }

    /// The name of the present generation of all inboxes, which the first process to read it creates.
    private func epoch() async throws -> String {
        if let epoch = try await read("GET", keys.epoch).text { return epoch }
        let epoch = String(UInt64.random(in: 1 << 40 ... .max), radix: 36)
        // The result is not awaited, because nothing can be stored yet while a process prepares to lead.
        output.write([RedisCommand("SET", keys.epoch, .text(epoch), "NX")], of: .chat)
        return epoch
    }

    private func application(_ name: Identifier) async throws -> RestoredChat.Application {
        var restored = RestoredChat.Application()
        let decoder = JSONDecoder()
        var documents: [ChatDocument.Key: ChatDocument] = [:]
        try await scan(keys.key(.documents, name)) { page in
            for (_, value) in page {
                guard let bytes = value.bytes else { throw Problem.damaged }
                let document = try decoder.decode(ChatDocument.self, from: Data(bytes.readableBytesView))
                documents[document.key] = document
            }
        }
        restored.documents = Array(documents.values)
        try await scan(keys.key(.places, name)) { page in
            for (field, value) in page { restored.inboxes[try Self.name(field), default: (0, 0)].last = try Self.number(value) }
        }
        try await scan(keys.key(.acknowledged, name)) { page in
            for (field, value) in page {
                restored.inboxes[try Self.name(field), default: (0, 0)].acknowledged = try Self.number(value)
            }
        }
        restored.recentSends = try await recentSends(name)
        return restored
    }

    private func recentSends(
        _ application: Identifier
    ) async throws -> [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)] {
        var sends: [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)] = []
        var next = horizon + 1
        while true {
            let entries =
                try await read("XRANGE", keys.key(.sent, application), ChatKeys.entry(next), "+", "COUNT", 1_000).elements ?? []
            for entry in entries {
                guard let parts = entry.elements, parts.count == 2, let id = ChatKeys.number(parts[0]),
                    let fields = parts[1].elements, fields.count == 6
                else { throw Problem.damaged }
                let sequence = try Self.number(fields[5])
                sends.append((try Self.name(fields[1]), try Self.name(fields[3]), id, sequence == 0 ? nil : sequence))
                guard id < .max else { throw Problem.damaged }
                next = id + 1
            }
            if entries.count < 1_000 { return sends }
        }
    }

    static func name(_ value: RedisValue) throws(Problem) -> Identifier {
        guard let text = value.text else { throw .damaged }
        return Identifier(text)
    }

    private static func number(_ value: RedisValue) throws(Problem) -> UInt64 {
        // CR-42: later positions are counted from these numbers.
        guard let number = value.text.flatMap({ UInt64($0) }), number <= UInt64(Int64.max) else { throw .damaged }
        return number
    }
}
