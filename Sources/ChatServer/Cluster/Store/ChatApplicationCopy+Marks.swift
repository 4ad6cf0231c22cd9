import NIOCore
import RedisClient
import ServerCluster
import ServerStorage

// What users have read and hidden, and the directory.
extension ChatApplicationCopy {
    // MARK: Marks

    func copyMarks() async throws {
        try await eachHour(of: .history) { hour in
            try await store.scan(keys.part(.hidden, hour, application)) { page in
                for (field, _) in page { try copyHidden(field) }
            }
            try await store.scan(keys.part(.receipted, hour, application)) { page in
                for (field, _) in page { try await copyReceipts(field) }
            }
        }
        try await eachHour(of: .hiddenUpTo) { hour in
            try await store.scan(keys.part(.hiddenUpTo, hour, application)) { page in
                for (field, value) in page { try copyHiddenUpTo(field, value) }
            }
        }
    }

    private func copyHidden(_ field: RedisValue) throws {
        let parts = (field.text ?? "").split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let id = UInt64(parts[0]) else { throw RedisChatStore.Problem.damaged }
        if try event(id) != nil { try sink.put([.number(id), .text(String(parts[1]))], into: Tables.hidden) }
    }

    private func copyReceipts(_ field: RedisValue) async throws {
        guard let id = field.text.flatMap({ UInt64($0) }) else { throw RedisChatStore.Problem.damaged }
        // A recalled message has none.
        guard let event = try event(id), event[2] != .null else { return }
        try await store.scan(keys.receipts(id, application)) { page in
            for (user, value) in page {
                let parts = (value.text ?? "").split(separator: ":")
                guard parts.count == 2, let order = UInt64(parts[0]), let time = Int64(parts[1]) else {
                    throw RedisChatStore.Problem.damaged
                }
                try sink.put(
                    [.number(order), .number(id), .text(try RedisChatStore.name(user).text), .integer(time)], into: Tables.receipt
                )
            }
        }
    }

    private func copyHiddenUpTo(_ field: RedisValue, _ value: RedisValue) throws {
        guard let id = field.text.flatMap({ UInt64($0.prefix { $0 != "\u{1F}" }) }), let bytes = value.bytes else {
            throw RedisChatStore.Problem.damaged
        }
        let hide = try ChatHide(decoding: bytes)
        let key: StoredRow = [name, .text(hide.user.text), .text(hide.conversation.text)]
        if let present = try sink.row(key, of: Tables.hiddenUpTo)?.last, present >= .number(id) { return }
        try sink.put(key + [.number(id)], into: Tables.hiddenUpTo)
    }

    // MARK: Documents

    func copyDocuments() async throws {
        try await store.scan(keys.key(.documents, application)) { page in
            for (field, value) in page {
                let parts = (field.text ?? "").split(separator: "\u{1F}", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, let bytes = value.bytes else { throw RedisChatStore.Problem.damaged }
                try sink.put(
                    [name, .text(String(parts[0])), .text(String(parts[1])), .bytes(Array(bytes.readableBytesView))],
                    into: Tables.document)
            }
        }
    }
}
