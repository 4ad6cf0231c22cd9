import ChatDatabase
import ChatProtocol
import EngineRuntime
import Foundation

/// The parameters for pinning a channel.
#if canImport(ObjectiveC)
    @objc(NCPinParams) @objcMembers
#endif
public final class PinParams: NSObject, Sendable {
    /// Whether the channel moves up in the list of channels, because its operation time becomes the present time.
    public let updateOperationTime: Bool

    /// Creates the parameters for pinning a channel.
    public init(updateOperationTime: Bool = true) {
        self.updateOperationTime = updateOperationTime
        super.init()
    }
}

// Reads and changes the state of a channel on this device, and its settings on all devices of the user (rules NH-20, NH-21, NH-24).
extension BaseChannel {
    /// Loads the channel's present state as a new object; returns this object when this device has no data about the channel.
    public final func reload(completion: ((_ channel: BaseChannel?, _ error: NCError?) -> Void)?) {
        reload(engine.answering(completion))
    }

    /// Loads the channel's present state as a new object; returns this object when this device has no data about the channel.
    ///
    /// - Throws: an error of the local database.
    public final func reloaded() async throws(NCError) -> BaseChannel {
        try await awaiting { reload($0) }
    }

    /// Counts the channel's unread messages.
    public final func getUnreadCount(completion: ((_ count: Int, _ error: NCError?) -> Void)?) {
        engine.local(engine.counting(completion)) { [channel] _, database throws(ChatDatabaseError) in
            try database.channel(channel)?.unread ?? 0
        }
    }

    /// Marks all messages of the channel as read, on all devices of the user. The senders get no read receipts;
    /// ``sendReadReceiptResponse(messageIds:completion:)`` sends them.
    ///
    /// - Parameter completion: `isCleared` is false when there was no unread message, or with an error.
    public final func clearUnreadCount(completion: ((_ isCleared: Bool, _ error: NCError?) -> Void)?) {
        let block = CallerBlock(completion)
        let registry = engine.registry
        clearUnread { result in
            registry.run {
                switch result {
                case .success(let isCleared): block(isCleared, nil)
                case .failure(let error): block(false, error)
                }
            }
        }
    }

    /// Marks all messages of the channel as read, on all devices of the user.
    ///
    /// - Returns: false when there was no unread message.
    /// - Throws: an error of the local database.
    @discardableResult
    public final func clearUnread() async throws(NCError) -> Bool {
        try await awaiting { clearUnread($0) }
    }

    /// Loads the oldest unread message of the channel; nil when there is none.
    public final func getFirstUnreadMessage(completion: ((_ message: Message?, _ error: NCError?) -> Void)?) {
        let block = CallerBlock(completion)
        let end: Completion<Message?> = engine.answering { message, error in block(message ?? nil, error) }
        engine.local(end) { [channel] client, database throws(ChatDatabaseError) in
            try database.firstUnread(of: channel).map { Message($0, user: client.user ?? "") }
        }
    }

    /// Loads the unread messages that mention the user, oldest first, at most 100.
    public final func getUnreadMentionedMessages(completion: ((_ messages: [Message]?, _ error: NCError?) -> Void)?) {
        engine.local(engine.answering(completion)) { [channel] client, database throws(ChatDatabaseError) in
            try database.unreadMentions(of: channel).map { Message($0, user: client.user ?? "") }
        }
    }

    /// Pins the channel to the top of the list of channels, on all devices of the user. Needs a connection.
    public final func pin(params: PinParams = .init(), completion: ((_ error: NCError?) -> Void)?) {
        setPinned(true, updatesTime: params.updateOperationTime, engine.confirming(completion))
    }

    /// Unpins the channel, on all devices of the user. Needs a connection.
    public final func unpin(completion: ((_ error: NCError?) -> Void)?) {
        setPinned(false, updatesTime: false, engine.confirming(completion))
    }

    /// Pins or unpins the channel, on all devices of the user. Needs a connection.
    ///
    /// - Throws: the reason why the service did not accept the change.
    public final func setPinned(_ isPinned: Bool) async throws(NCError) {
        try await awaiting { setPinned(isPinned, updatesTime: isPinned, $0) }
    }

    /// Sets the channel's do-not-disturb level, on all devices of the user. Needs a connection.
    public final func setNoDisturbLevel(_ level: ChannelNoDisturbLevel, completion: ((_ error: NCError?) -> Void)?) {
        setLevel(level, engine.confirming(completion))
    }

    /// Sets the channel's do-not-disturb level, on all devices of the user. Needs a connection.
    ///
    /// - Throws: the reason why the service did not accept the change.
    public final func setNoDisturbLevel(_ level: ChannelNoDisturbLevel) async throws(NCError) {
        try await awaiting { setLevel(level, $0) }
    }

    /// Stores the unsent text that the user has begun to write in the channel, on this device only.
    public final func saveDraft(_ draft: String, completion: ((_ error: NCError?) -> Void)?) {
        engine.local(engine.confirming(completion)) { [channel] _, database throws(ChatDatabaseError) in
            try database.setDraft(draft, of: channel)
        }
    }

    /// Deletes the draft.
    public final func clearDraft(completion: ((_ error: NCError?) -> Void)?) {
        saveDraft("", completion: completion)
    }

    /// Removes the channel from the list of channels, with its pin, draft and unread count. Its messages stay, and the next message adds
    /// the channel to the list again.
    public final func delete(completion: ((_ error: NCError?) -> Void)?) {
        engine.local(engine.confirming(completion)) { [channel] _, database throws(ChatDatabaseError) in
            try database.deleteChannels([channel])
        }
    }

    private func reload(_ completion: @escaping Completion<BaseChannel>) {
        let engine = engine
        engine.local(completion) { [channel] _, database throws(ChatDatabaseError) in
            try database.channel(channel).map { BaseChannel.make($0, engine) } ?? self
        }
    }

    private func clearUnread(_ completion: @escaping Completion<Bool>) {
        engine.perform(completion) { [channel] (client, completion) throws(NCError) in
            let mark = try client.local { _, database throws(ChatDatabaseError) in try database.clearUnread(of: channel) }
            completion(.success(mark != nil))
            // The user's other devices are notified only if the channel has a message from the server. Without such a message, nothing in
            // the channel is unread on these devices.
            if let mark, mark > 0 { client.registry.chat.reads.report(channel, upTo: mark, client) }
        }
    }

    private func setPinned(_ isPinned: Bool, updatesTime: Bool, _ completion: @escaping Completion<Void>) {
        let channel = channel
        let settings = ChatChannelSettings(conversation: channel.conversation, id: channel.id, isPinned: isPinned)
        engine.ask(.set(settings), completion: completion) { client, _ throws(NCError) in
            try client.local { _, database throws(ChatDatabaseError) in
                try database.setPinned(isPinned, of: channel, operationTime: updatesTime ? ChatDatabase.timeOfDay() : nil)
            }
        }
    }

    private func setLevel(_ level: ChannelNoDisturbLevel, _ completion: @escaping Completion<Void>) {
        let channel = channel
        let settings = ChatChannelSettings(conversation: channel.conversation, id: channel.id, level: level.rawValue)
        engine.ask(.set(settings), completion: completion) { client, _ throws(NCError) in
            try client.local { _, database throws(ChatDatabaseError) in try database.setLevel(level.rawValue, of: channel) }
        }
    }
}

extension ChatEngine {
    /// Makes a completion that calls the application's block with a number, or with 0 and an error.
    func counting(_ block: ((Int, NCError?) -> Void)?) -> Completion<Int> {
        let block = CallerBlock(block)
        let registry = registry
        return { result in
            registry.run {
                switch result {
                case .success(let count): block(count, nil)
                case .failure(let error): block(0, error)
                }
            }
        }
    }
}
