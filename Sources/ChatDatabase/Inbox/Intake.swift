import ChatProtocol
import Identifiers

/// Converts events of the inbox to rows of the database, one after the other.
struct Intake {
    let transaction: WriteTransaction
    private(set) var changes: [ReceivedChange] = []
    /// The highest id of the messages that this value has converted.
    private(set) var lastID: Int64 = 0

    private var user: String { transaction.user }

    init(transaction: WriteTransaction) {
        self.transaction = transaction
    }

    mutating func take(_ event: ChatWireEvent) throws {
        switch event {
        case .message(let message): try take(message)
        case .recall(let recall): try take(recall)
        case .edit(let edit): try take(edit)
        case .metadata(let change): try take(change)
        case .receipt(let receipts): try take(receipts)
        case .read(let channel, let time): try read(channel, upTo: time)
        case .settings(let settings): try take(settings)
        case .group(let operation):
            let isArrival = operation.kind == .join || operation.kind == .create
            // The ids are compared by their bytes, because two Unicode spellings of an id are two users.
            if isArrival, operation.members.contains(where: { $0.user.isExactly(user) }) {
                try transaction.join(operation.group.id, at: operation.time)
            }
            changes.append(.other(event))
        default: changes.append(.other(event))
        }
    }

    // MARK: - Messages

    private mutating func take(_ message: ChatMessage) throws {
        // A message whose id is out of range cannot be ordered, so it is not stored.
        guard let id = Position.of(message.id) else { return }
        lastID = max(lastID, id)
        let received = LocalMessage(message, user: user, now: transaction.now)
        guard message.options.isPersisted, !message.options.isStatus else { return changes.append(.message(received)) }
        switch try transaction.take(received, id: id) {
        case .known: break
        case .finished(let own): changes.append(.sent(own))
        case .added(let kept, let position, let isMention):
            var channel = try transaction.channel(kept.channel)
            transaction.show(kept.localID, kept, at: position, in: &channel)
            if !kept.options.isNotLatest { channel.touch(at: kept.sentTime) }
            if channel.isKept, kept.isUnread {
                channel.unread += 1
                if isMention { channel.mentions += 1 }
            }
            transaction.set(channel)
            changes.append(.message(kept))
        }
    }

    // MARK: - Changes of messages after sending

    private mutating func take(_ recall: ChatRecall) throws {
        guard let id = Position.of(recall.id) else { return }
        let channel = try channel(recall.conversation, from: recall.from, to: recall.to)
        var early = try transaction.early(id, in: channel) ?? EarlyMessageChange()
        guard !early.isRecalled else { return }
        // The recall stays recorded permanently, because a page of history that the server has sent before the recall may still contain the
        // message.
        early = EarlyMessageChange()
        early.isRecalled = true
        try transaction.save(early, of: id, in: channel)
        let message = try transaction.message(id, in: channel)
        if let message { try transaction.remove(message) }
        changes.append(.recalled(recall, message))
    }

    private mutating func take(_ edit: ChatEdit) throws {
        guard let id = Position.of(edit.id) else { return }
        let channel = try channel(edit.conversation, from: edit.from, to: edit.to)
        guard var message = try transaction.message(id, in: channel) else {
            var early = try transaction.early(id, in: channel) ?? EarlyMessageChange()
            guard !early.isRecalled, (early.edited ?? .min) < edit.time else { return }
            early.edited = edit.time
            early.content = edit.content
            return try transaction.save(early, of: id, in: channel)
        }
        guard (message.edited ?? .min) < edit.time else { return }
        try transaction.setContent(edit.content, of: message, edited: edit.time)
        message.content = edit.content
        message.edited = edit.time
        changes.append(.edited(message))
    }

    private mutating func take(_ change: ChatMetadataChange) throws {
        guard let id = Position.of(change.id) else { return }
        let channel = try channel(change.conversation, from: change.from, to: change.to)
        guard var message = try transaction.message(id, in: channel) else {
            var early = try transaction.early(id, in: channel) ?? EarlyMessageChange()
            guard !early.isRecalled else { return }
            for key in change.deleted { early.metadata.updateValue(nil, forKey: key) }
            for (key, value) in change.set { early.metadata.updateValue(value, forKey: key) }
            return try transaction.save(early, of: id, in: channel)
        }
        for key in change.deleted { message.options.metadata[key] = nil }
        message.options.metadata.merge(change.set) { _, new in new }
        try transaction.setMetadata(message.options.metadata, of: message.localID)
        changes.append(.metadata(message, change))
    }

    private mutating func take(_ receipts: ChatReceipts) throws {
        let channel = try channel(receipts.conversation, from: receipts.from, to: receipts.to)
        var new = receipts
        new.items = try receipts.items.filter { item in
            guard let id = Position.of(item.id), var message = try transaction.message(id, in: channel), message.isSent else {
                return false
            }
            let counts = LocalReceipt(read: item.read, unread: item.unread, total: item.total)
            guard message.receipt != counts, item.read >= message.receipt?.read ?? 0 else { return false }
            message.receipt = counts
            try transaction.set(counts, of: message)
            return true
        }
        if !new.items.isEmpty { changes.append(.receipts(channel.channel, new)) }
    }

    // MARK: - Events of the user's other devices

    private mutating func read(_ id: ChatChannel, upTo time: Int64) throws {
        if try transaction.read(id, upTo: time) { changes.append(.read(id, time: time)) }
    }

    private mutating func take(_ settings: ChatChannelSettings) throws {
        if let id = settings.id {
            try transaction.change(ChatChannel(settings.conversation, id)) { channel in
                if let isPinned = settings.isPinned { channel.isPinned = isPinned }
                if let level = settings.level { channel.level = level }
            }
        } else if let level = settings.level {
            try transaction.setLevel(level, of: settings.conversation)
        }
        changes.append(.settings(settings))
    }

    private func channel(_ conversation: ChatConversationKind, from: String, to: String) throws -> ChannelState {
        switch conversation {
        case .direct: try transaction.channel(ChatChannel(.direct, from.isExactly(user) ? to : from))
        case .system: try transaction.channel(ChatChannel(.system, from))
        case .group, .open: try transaction.channel(ChatChannel(conversation, to))
        }
    }
}
