import ChatDatabase
import ChatProtocol
import Identifiers

// Sends and loads read receipts. A receipt informs the sender of a message that this user has read the message. Receipts do not change the
// user's own unread counts, which ``BaseChannel/clearUnreadCount(completion:)`` clears (rules NH-22, NH-23).
extension BaseChannel {
    /// Sends read receipts to the senders of 1 … 100 messages of a direct or group channel.
    public final func sendReadReceiptResponse(messageIds: [String], completion: ((_ error: NCError?) -> Void)?) {
        respond(messageIds, engine.confirming(completion))
    }

    /// Sends read receipts to the senders of 1 … 100 messages of a direct or group channel.
    ///
    /// - Throws: the reason why the service did not accept the receipts.
    public final func sendReadReceipts(for messages: [Message]) async throws(NCError) {
        try await awaiting { respond(messages.map(\.messageId), $0) }
    }

    /// Loads how many receivers have read messages of the signed-in user, for 1 … 100 messages.
    public final func getMessageReadReceiptInfo(
        messageIds: [String], completion: ((_ infos: [MessageReadReceiptInfo]?, _ error: NCError?) -> Void)?
    ) {
        engine.receipts(messageIds, in: channel, engine.answering(completion))
    }

    /// Loads how many receivers have read messages of the signed-in user, for 1 … 100 messages.
    ///
    /// - Throws: the reason why the request failed.
    public final func readReceipts(of messageIds: [String]) async throws(NCError) -> [MessageReadReceiptInfo] {
        try await awaiting { engine.receipts(messageIds, in: channel, $0) }
    }

    /// Loads which of the given users have read a message.
    public final func getMessagesReadReceiptByUsers(
        params: MessagesReadReceiptByUsersParams,
        completion: ((_ readers: [MessageReceiptUser]?, _ error: NCError?) -> Void)?
    ) {
        let wanted = Set(params.userIds.map { Identifier($0) })
        engine.readers(of: params.messageId, in: channel, engine.answering(completion)) { readers in
            readers.filter { wanted.contains(Identifier($0.userId)) }
        }
    }

    /// Loads how many receivers have read messages of several channels, for 1 … 100 messages. The results are grouped by channel.
    public static func getMessageReadReceiptInfoByIdentifiers(
        _ identifiers: [MessageIdentifier], completion: ((_ infos: [MessageReadReceiptInfo]?, _ error: NCError?) -> Void)?
    ) {
        let engine = NCEngine.engine
        let end: Completion<[MessageReadReceiptInfo]> = engine.answering(completion)
        var groups: [(channel: ChatChannel, ids: [String])] = []
        for identifier in identifiers {
            guard let channel = identifier.channelIdentifier.channel else {
                return end(
                    .failure(
                        NCError(
                            code: 34210,
                            reason: "A channelId must have 1 to 64 characters, and a channelType must not be community.")
                    ))
            }
            if let place = groups.firstIndex(where: { $0.channel == channel }) {
                groups[place].ids.append(identifier.messageId)
            } else {
                groups.append((channel, [identifier.messageId]))
            }
        }
        let all = groups
        @Sendable func next(_ index: Int, _ before: [MessageReadReceiptInfo]) {
            guard index < all.count else { return end(.success(before)) }
            engine.receipts(all[index].ids, in: all[index].channel) { result in
                switch result {
                case .success(let infos): next(index + 1, before + infos)
                case .failure(let error): end(.failure(error))
                }
            }
        }
        next(0, [])
    }

    /// Lists the users who have read a message of the signed-in user, page by page.
    public static func createMessagesReadReceiptUsersQuery(
        params: MessagesReadReceiptUsersQueryParams
    ) -> MessagesReadReceiptUsersQuery {
        let engine = NCEngine.engine
        let (id, size) = (params.messageId, PageSize.clamped(params.pageSize, to: 1...100))
        guard let channel = params.channelIdentifier.channel else {
            return PagedQuery(
                engine,
                refused: NCError(
                    code: 34210, reason: "The channelId must have 1 to 64 characters, and the channelType must not be community.")
            )
        }
        return PagedQuery(engine, cutting: size) { completion in
            engine.readers(of: id, in: channel, completion) { $0 }
        }
    }

    private func respond(_ ids: [String], _ completion: @escaping Completion<Void>) {
        let list: [ChatMessageID]
        do throws(NCError) { list = try ChatMessageID.list(ids) } catch { return completion(.failure(error)) }
        let channel = channel
        engine.ask(.sendReceipt(channel.conversation, to: channel.id, ids: list), completion: completion) { client, _ in
            // An error of the local database is ignored, because the receipt has been sent.
            _ = try? client.local { _, database throws(ChatDatabaseError) in try database.setReceiptSent(list, in: channel) }
        }
    }
}

extension ChatEngine {
    func receipts(
        _ ids: [String], in channel: ChatChannel, _ completion: @escaping Completion<[MessageReadReceiptInfo]>
    ) {
        let list: [ChatMessageID]
        do throws(NCError) { list = try ChatMessageID.list(ids) } catch { return completion(.failure(error)) }
        ask(.receipts(channel.conversation, to: channel.id, ids: list), completion: completion) { _, answer throws(NCError) in
            guard let receipts = answer.receipts else { throw .strangeAnswer }
            return receipts.map { MessageReadReceiptInfo($0, in: channel) }
        }
    }

    func readers(
        of id: String, in channel: ChatChannel, _ completion: @escaping Completion<[MessageReceiptUser]>,
        _ pick: @escaping @Sendable ([MessageReceiptUser]) -> [MessageReceiptUser]
    ) {
        let target: ChatMessageTarget
        do throws(NCError) {
            target = ChatMessageTarget(channel.conversation, to: channel.id, id: try ChatMessageID.one(id))
        } catch {
            return completion(.failure(error))
        }
        ask(.receiptUsers(target), completion: completion) { _, answer throws(NCError) in
            guard let users = answer.receiptUsers else { throw .strangeAnswer }
            return pick(users.map { MessageReceiptUser(userId: $0.user, timestamp: $0.time) })
        }
    }
}
