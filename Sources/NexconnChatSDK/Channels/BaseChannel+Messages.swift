import ChatDatabase
import ChatProtocol
import Foundation
import Identifiers

/// The parameters that select one message, by the id that the service gave it or by the number that this device gave it.
public final class GetMessageByIdParams: NSObject, Sendable {
    /// The service's id of the message; nil when ``messageClientId`` selects it.
    public let messageId: String?
    /// The number that this device gave the message, ``Message/clientId``; nil when ``messageId`` selects the message.
    public let messageClientId: Int?

    /// Selects a message by the service's id.
    public init(messageId: String) {
        self.messageId = messageId
        messageClientId = nil
        super.init()
    }

    /// Selects a message by the number that this device gave it, ``Message/clientId``.
    public init(messageClientId: Int) {
        messageId = nil
        self.messageClientId = messageClientId
        super.init()
    }
}

/// The parameters that select messages before and after a time.
public final class GetMessagesAroundTimeParams: NSObject, Sendable {
    /// The time, in milliseconds since 1970. A message of exactly this time is returned with the newer messages, in addition to
    /// `afterCount`.
    public let sentTime: Int64
    /// How many older messages to load: 0 … 100.
    public let beforeCount: Int
    /// How many newer messages to load: 0 … 99.
    public let afterCount: Int

    /// Selects messages around `sentTime`, milliseconds since 1970.
    public init(sentTime: Int64, beforeCount: Int, afterCount: Int) {
        self.sentTime = sentTime
        self.beforeCount = beforeCount
        self.afterCount = afterCount
        super.init()
    }
}

/// The parameters of a message that is inserted into the local database only.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
public final class InsertMessageParams: NSObject, @unchecked Sendable {
    /// The message's content.
    public let content: MessageContent
    /// The sender's user id; nil for the signed-in user.
    @Guarded public var senderUserId: String? = nil
    /// When the message was sent, in milliseconds since 1970; 0 for the present time.
    @Guarded public var sentTime: Int64 = 0

    /// Creates the parameters of a message that the signed-in user sent at the present time.
    public init(content: MessageContent) {
        self.content = content
        super.init()
    }
}

extension BaseChannel {
    /// Loads a message from this device's database.
    ///
    /// - Parameters:
    ///   - params: the parameters.
    ///   - completion: called once, on the callback queue, with error 34203 when this device has no such message.
    public static func getMessageById(
        params: GetMessageByIdParams, completion: ((_ message: Message?, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let (id, number) = (params.messageId, params.messageClientId)
        engine.perform(engine.answering(completion)) { (client, completion) throws(NCError) in
            let wanted: ChatMessageID? = if let id { try ChatMessageID.one(id) } else { nil }
            let local = try client.local { _, database throws(ChatDatabaseError) in
                if let wanted { return try database.message(id: wanted) }
                return try database.message(localID: Int64(number ?? 0))
            }
            guard let local else { throw NCError(.noSuchMessage, reason: "The local database has no message with this id.") }
            completion(.success(Message(local, user: client.user ?? "")))
        }
    }

    /// Loads the messages before and after a time, oldest first. Messages that are not on this device are fetched from the server and
    /// stored.
    public final func getMessagesAroundTime(
        params: GetMessagesAroundTimeParams, completion: ((_ messages: [Message]?, _ error: NCError?) -> Void)?
    ) {
        let (before, after) = (min(max(params.beforeCount, 0), 100), min(max(params.afterCount, 0), 99))
        let older = MessageHistory(
            channel, startTime: params.sentTime, isAscending: false, limit: max(before, 1), asksServer: true)
        let newer = MessageHistory(
            channel, startTime: max(params.sentTime, 1) - 1, isAscending: true, limit: after + 1, asksServer: true)
        engine.perform(engine.answering(completion)) { (client, completion: @escaping Completion<[Message]>) throws(NCError) in
            older.load(after: nil, client) { first in
                newer.load(after: nil, client) { second in
                    completion(
                        first.flatMap { first in
                            second.map { second in first.page.data.prefix(before).reversed() + second.page.data }
                        })
                }
            }
        }
    }

    /// Inserts messages into the local database. They are not sent to the service or to other devices.
    public final func insertMessages(
        params: [InsertMessageParams], completion: ((_ messages: [Message]?, _ error: NCError?) -> Void)?
    ) {
        let channel = channel
        let end: Completion<[Message]> = engine.answering(completion)
        var drafts: [(sender: String?, message: LocalMessage)] = []
        do throws(NCError) {
            guard channel.conversation != .open else {
                throw NCError(.badArgument, reason: "Messages of open channels are not stored on this device.")
            }
            for item in params {
                let content = item.content
                let outgoing = try Outgoing(content, SendMessageParams(content: content), to: channel, clientID: "")
                var local = outgoing.local(from: "", at: item.sentTime)
                local.clientID = nil
                drafts.append((item.senderUserId, local))
            }
        } catch {
            return end(.failure(error))
        }
        let all = drafts
        engine.local(end) { client, database throws(ChatDatabaseError) in
            let user = client.user ?? ""
            let messages = all.map { sender, draft in
                var message = draft
                message.sender = sender ?? user
                message.isSent = message.sender.isExactly(user)
                message.status = message.isSent ? .sent : .received
                return message
            }
            return try database.insertLocal(messages).map { Message($0, user: user) }
        }
    }
}

extension Message {
    /// Stores a text of the application with this message, on this device only.
    public func setLocalExtra(_ extra: String, completion: ((_ error: NCError?) -> Void)? = nil) {
        let engine = NCEngine.engine
        let number = local.localID
        engine.local(engine.confirming(completion)) { _, database throws(ChatDatabaseError) in
            try database.setLocalExtra(extra, of: number)
            self.update { $0.localExtra = extra }
        }
    }
}
