import NIOCore
import ServerCluster
import ServerStorage

// Copies read receipts, hidden messages and documents.
extension ChatApplicationCopy {
    // MARK: Marks

    func copyMarks() async throws {
        try await eachHour(of: .history) { hour in
            try await store.scan(keys.part(.hidden, hour: hour, of: application)) { page in
                for field in page { try copyHidden(field) }
            }
            try await store.scan(keys.part(.receipted, hour: hour, of: application)) { page in
                for field in page { try await copyReceipts(field) }
            }
        }
        try await eachHour(of: .hiddenUpTo) { hour in
            try await store.scan(keys.part(.hiddenUpTo, hour: hour, of: application)) { page in
                for field in page { try copyHiddenUpTo(field) }
            }
        }
    }

    private func copyHidden(_ field: StoredField) throws {
        let parts = String(buffer: field.name).split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = UInt64(parts[0]) else { throw RedisChatStore.Problem.damaged }
        if try event(id) != nil { try sink.put([.number(id), .text(String(parts[1]))], into: Tables.hidden) }
    }

    private func copyReceipts(_ field: StoredField) async throws {
        guard let id = UInt64(String(buffer: field.name)) else { throw RedisChatStore.Problem.damaged }
        // A recalled message has no receipts.
        guard let event = try event(id), event[2] != .null else { return }
        try await store.scan(keys.receipts(id, application)) { page in
            for receipt in page {
                let parts = String(buffer: receipt.value).split(separator: ":")
                guard parts.count == 2, let order = UInt64(parts[0]), let time = Int64(parts[1]) else {
                    throw RedisChatStore.Problem.damaged
                }
                try sink.put(
                    [.number(order), .number(id), .text(RedisChatStore.name(receipt).text), .integer(time)], into: Tables.receipt
                )
            }
        }
    }

    private func copyHiddenUpTo(_ field: StoredField) throws {
        guard let id = UInt64(String(buffer: field.name).prefix { $0 != "\u{1F}" }) else {
            throw RedisChatStore.Problem.damaged
        }
        let hide = try ChatHide(decoding: field.value)
        let key: StoredRow = [name, .text(hide.user.text), .text(hide.conversation.text)]
        if let present = try sink.row(key, of: Tables.hiddenUpTo)?.last, present >= .number(id) { return }
        try sink.put(key + [.number(id)], into: Tables.hiddenUpTo)
    }

    // MARK: Documents

    func copyDocuments() async throws {
        try await store.scan(keys.key(.documents, application)) { page in
            for field in page {
                let parts = String(buffer: field.name).split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw RedisChatStore.Problem.damaged }
                try sink.put(
                    [name, .text(String(parts[0])), .text(String(parts[1])), .bytes(Array(field.value.readableBytesView))],
                    into: Tables.document)
            }
        }
    }
}
