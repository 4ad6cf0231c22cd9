import ChatProtocol
import Identifiers
import ServerStorage

// Requests about read receipts (chat-protocol.md, 5.2; rules NV-27 and NV-28).
extension ServedChatApplication {
    /// Records that a user has read messages, and sends the messages' senders the new numbers of readers.
    func sendReceipt(
        _ conversation: ChatConversationKind, _ channel: Identifier, for ids: [ChatMessageID], by caller: ChatCaller,
        reply: @escaping ChatAnswering
    ) {
        let (user, start) = (caller.user, now)
        let access: ChatHistoryAccess
        do {
            // Rights are checked before the request waits in the conversation's queue and before the store is read, so that unauthorised
            // users delay nobody (rule NV-21).
            access = try read { state in
                try state.admitReceipt(by: user, in: ChatKind(conversation), channel, at: start)
                return state.historyAccess(of: ChatKind(conversation), channel, by: user)
            }
        } catch {
            return answer(.failure(ChatRequestRefusal(error)), reply: reply)
        }
        turns.run(access.conversation, by: user) { done in
            self.look(ids, access, by: caller) { found in
                self.change(
                    { state, change in
                        let now = change.now
                        try state.admitReceipt(by: user, in: ChatKind(conversation), channel, at: now)
                        let read = try found.get()
                        guard !read.isEmpty else { throw ChatRequestRefusal.noSuchMessage }
                        var items: [Identifier: [ChatReadCounts]] = [:]
                        for (event, receipts) in read where event.sender != user {
                            guard let message = ChatMessage(storedAs: event.body), message.options.needsReceipt,
                                !receipts.contains(where: { $0.user == user })
                            else { continue }
                            change.commit.receipts.append((event.id, ChatReceipt(user: user, time: now)))
                            items[event.sender, default: []].append(event.receipt(readers: receipts.count + 1))
                        }
                        for (sender, items) in items.sorted(by: { $0.key < $1.key }) {
                            let news = ChatReceipts(
                                conversation: conversation, from: user.text,
                                to: conversation == .direct ? sender.text : channel.text,
                                items: items, time: now)
                            change.add(
                                ChatEvent(id: change.nextID(), sender: user, body: ChatWireEvent.receipt(news).body),
                                places: state.place([sender]))
                        }
                        return .done
                    },
                    reply: { result in
                        reply(result)
                        done()
                    })
            }
        }
    }

    /// Answers with the number of readers of each message.
    func receipts(
        _ conversation: ChatConversationKind, _ channel: Identifier, for ids: [ChatMessageID], by caller: ChatCaller,
        reply: @escaping ChatAnswering
    ) {
        readReceipts(conversation, channel, for: ids, by: caller, reply: reply) { read in
            .receipts(read.map { event, receipts in event.receipt(readers: receipts.count) })
        }
    }

    /// Answers with the users who have read a message, in the order of reading.
    func receiptUsers(_ target: ChatMessageTarget, by caller: ChatCaller, reply: @escaping ChatAnswering) {
        readReceipts(target.conversation, Identifier(target.to), for: [target.id], by: caller, reply: reply) { read in
            guard let receipts = read.first?.receipts else { throw ChatRequestRefusal.noSuchMessage }
            return .receiptUsers(receipts.map { ChatReceiptUser(user: $0.user.text, time: $0.time) })
        }
    }

    private typealias Read = [(event: ChatEvent, receipts: [ChatReceipt])]

    private func readReceipts(
        _ conversation: ChatConversationKind, _ channel: Identifier, for ids: [ChatMessageID], by caller: ChatCaller,
        reply: @escaping ChatAnswering, _ result: @escaping @Sendable (Read) throws -> ChatResult
    ) {
        let now = now
        do {
            let access = try read { state in
                try state.checkReceipts(by: caller.user, in: ChatKind(conversation), channel, at: now)
                return state.historyAccess(of: ChatKind(conversation), channel, by: caller.user)
            }
            look(ids, access, by: caller) { found in
                do {
                    reply(.success(try result(try found.get())))
                } catch {
                    reply(.failure(ChatRequestRefusal(error)))
                }
            }
        } catch {
            answer(.failure(ChatRequestRefusal(error)), reply: reply)
        }
    }

    /// Reads messages of a conversation and their receipts. Messages that do not exist, or that the caller may not see, are left out.
    private func look(
        _ ids: [ChatMessageID], _ access: ChatHistoryAccess, by caller: ChatCaller,
        completion: @escaping @Sendable (Result<Read, ChatRequestRefusal>) -> Void
    ) {
        let (store, key) = (storage.store, key)
        Task {
            do {
                var read: Read = []
                var seen: Set<UInt64> = []
                for id in ids where id.rawValue > access.floor && seen.insert(id.rawValue).inserted {
                    guard let event = try await store.event(id.rawValue, in: access.conversation, application: key),
                        caller.maySee(event)
                    else { continue }
                    read.append((event, []))
                }
                let receipts = try await store.receipts(of: read.map(\.event.id), application: key)
                for index in read.indices { read[index].receipts = receipts[read[index].event.id] ?? [] }
                completion(.success(read))
            } catch {
                completion(.failure(.unreadable))
            }
        }
    }
}

extension ChatEvent {
    /// The counts of a message's readers. `total` is at least `readers`, because members who joined after the message was sent can read the
    /// message, too.
    fileprivate func receipt(readers: Int) -> ChatReadCounts {
        let total = max(audience, readers)
        return ChatReadCounts(id: ChatMessageID(rawValue: id), read: readers, unread: total - readers, total: total)
    }
}
