import Foundation
import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

extension RedisChatStore {
    package func restore() async throws -> RestoredChat {
        try await settle()
        var names: Set<Identifier> = []
        try await scan(keys.applications) { page in
            names.formUnion(page.map { Self.name($0) })
        }
        return try await restore(known: names)
    }

    package func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        try await settle()
        var known: Set<Identifier> = []
        for name in applications where try await reader.has(.text(name.text), in: keys.applications) {
            known.insert(name)
        }
        return try await restore(known: known)
    }

    private func restore(known names: Set<Identifier>) async throws -> RestoredChat {
        var restored = RestoredChat(epoch: try await epoch())
        for key in [keys.highest, keys.reserved] {
            let id = try await reader.text(of: key).flatMap { UInt64($0) } ?? 0
            // CR-42: ids that are assigned from now on are higher than this one, and all ids have 63 bits.
            restored.highestID = max(restored.highestID, min(id, UInt64(Int64.max)))
        }
        // The store has lost the ids that were assigned last. Ids skip a range, so that none of the lost ids is assigned again.
        if hasLost { restored.highestID = max(restored.highestID, now()) + Self.leap }
        raise(restored.highestID)
        for name in names { restored.applications[name] = try await application(name) }
        if hasLost {
            let last = restored.applications.values.lazy.flatMap(\.inboxes.values).map(\.last).max() ?? 0
            restored.epoch = ChatEpoch(restored.epoch).afterLoss(last: last).text
            output.write([.set(keys.epoch, .text(restored.epoch))], of: .chat)
        }
        return restored
    }

    /// The length of the skipped range of ids: ten seconds, in units of 100 ns.
    private static var leap: UInt64 { 100_000_000 }

    /// The name of the inboxes' epoch. If the store has no name yet, this process creates one.
    private func epoch() async throws -> String {
        if let epoch = try await reader.text(of: keys.epoch) { return epoch }
        let epoch = String(UInt64.random(in: 1 << 40 ... .max), radix: 36)
        // The write is not awaited, because nothing can be stored while a process prepares to lead.
        output.write([.setIfAbsent(keys.epoch, .text(epoch))], of: .chat)
        return epoch
    }

    private func application(_ name: Identifier) async throws -> RestoredChat.Application {
        var restored = RestoredChat.Application()
        let decoder = JSONDecoder()
        var documents: [ChatDocument.Key: ChatDocument] = [:]
        try await scan(keys.key(.documents, name)) { page in
            for field in page {
                let document = try decoder.decode(ChatDocument.self, from: Data(field.value.readableBytesView))
                documents[document.key] = document
            }
        }
        restored.documents = Array(documents.values)
        try await scan(keys.key(.places, name)) { page in
            for field in page { restored.inboxes[Self.name(field), default: (0, 0)].last = try Self.number(field.value) }
        }
        try await scan(keys.key(.acknowledged, name)) { page in
            for field in page {
                restored.inboxes[Self.name(field), default: (0, 0)].acknowledged = try Self.number(field.value)
            }
        }
        restored.recentSends = try await recentSends(name)
        try await restoreCounted(name)
        return restored
    }

    private func recentSends(
        _ application: Identifier
    ) async throws -> [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)] {
        var sends: [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)] = []
        var next = horizon + 1
        while true {
            let entries = try await reader.entries(of: keys.key(.sent, application), from: next, limit: 1_000)
            for entry in entries {
                guard entry.fields.count == 3, entry.number < .max else { throw Problem.damaged }
                // in bounds: the entry has three fields.
                let (sender, clientID) = (entry.fields[0].value, entry.fields[1].value)
                // in bounds: the entry has three fields.
                let sequence = try Self.number(entry.fields[2].value)
                sends.append(
                    (
                        Identifier(String(buffer: sender)), Identifier(String(buffer: clientID)), entry.number,
                        sequence == 0 ? nil : sequence
                    ))
                next = entry.number + 1
            }
            if entries.count < 1_000 { return sends }
        }
    }

    /// The user, conversation or application after which a stored field is named.
    static func name(_ field: StoredField) -> Identifier { Identifier(String(buffer: field.name)) }

    static func number(_ value: ByteBuffer) throws(Problem) -> UInt64 {
        // CR-42: positions that are assigned from now on are higher than these numbers, and all positions have 63 bits.
        guard let number = UInt64(String(buffer: value)), number <= UInt64(Int64.max) else { throw .damaged }
        return number
    }
}
