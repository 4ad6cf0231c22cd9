import ChatProtocol
import Identifiers
import NIOConcurrencyHelpers
import WireCoding

// Calls of the server API that send messages (rules NA-20 to NA-25).
extension ChatAPICall {
    func performSending(_ route: ChatAPIRoute) throws {
        let sender = try fields.id("fromUserId")
        var options = ChatSendOptions(node: node)
        let draft: ChatMessageDraft
        let receivers: [Identifier]
        switch route {
        case .sendDirect:
            receivers = try fields.ids("toUserIds", upTo: 1_000)
            draft = try self.draft(.direct, receivers)
            options.checksBlocking = try fields.flag("verifyBlocklist", false)
            options.includesSender = try fields.flag("isEchoToSender", false)
            try application.spend(.directMessages, receivers.count, named: "direct messages, counted by receivers, in a minute")
        case .sendSystem:
            receivers = try fields.ids("toUserIds", upTo: 1_000)
            draft = try self.draft(.system, receivers)
        case .sendGroup:
            receivers = try fields.ids("toGroupIds", upTo: 3)
            draft = try self.draft(.group, receivers)
            options.includesSender = try fields.flag("isEchoToSender", false)
            try application.spend(.groupMessages, receivers.count, named: "messages to groups in a second")
        case .sendOpen:
            receivers = try fields.ids("toChannelIds", upTo: 100)
            draft = try self.draft(.open, receivers)
        default:
            let all = application.read { $0.openChannels() }
            draft = try self.draft(.open, all)
            return send(draft, to: all, from: sender, options, mayReachNobody: true)
        }
        send(draft, to: receivers, from: sender, options, mayReachNobody: false)
    }

    private func draft(_ conversation: ChatConversationKind, _ receivers: [Identifier]) throws(ChatAPIProblem) -> ChatMessageDraft
    {
        guard let type = try fields.optionalText("messageType", upTo: 128), ChatProtocolLimits.accepts(type: type) else {
            throw .field("messageType", "a text of 1 to 32 characters")
        }
        var draft = ChatMessageDraft(
            clientID: try fields.optionalID("clientMessageId")?.text ?? "", conversation: conversation, to: "", type: type,
            content: try fields.content())
        guard draft.clientID.isEmpty || receivers.count == 1 else {
            throw .field("clientMessageId", "only with a single receiver")
        }
        draft.options = try options(conversation)
        if conversation == .group, let users = try fields.optionalIDs("toUserIds", upTo: 100) {
            guard receivers.count == 1 else { throw .field("toUserIds", "only with a single group") }
            draft.options.users = users.texts
        }
        return draft
    }

    private func options(_ conversation: ChatConversationKind) throws(ChatAPIProblem) -> ChatMessageOptions {
        var options = ChatMessageOptions()
        options.isPersisted = try fields.flag("shouldPersist", true)
        options.isCounted = try fields.flag("isCounted", true)
        options.isQuiet = try fields.flag("disablePush", false)
        options.isNotLatest = try fields.flag("disableUpdateLastMsg", false)
        if conversation == .direct || conversation == .group {
            options.isStatus = try fields.flag("isStatus", false)
            options.needsReceipt = try fields.flag("needReadReceipt", false)
            options.metadata = try fields.pairs("metadata") ?? [:]
            if let problem = ChatProtocolLimits.problem(ofMetadata: options.metadata) {
                throw .field("metadata", "up to 20 texts of 4,096 characters by keys of 32; \(problem.reason)")
            }
        }
        options.push = try push()
        return options
    }

    /// The push fields of the call as JSON, passed on unchanged to services that notify devices; nil if there are none.
    private func push() throws(ChatAPIProblem) -> [UInt8]? {
        var settings: JSONValue = [:]
        for name in ["pushContent", "pushData", "pushExt"] {
            settings = settings.with(name, try fields.optionalText(name, upTo: 4_096).map { .string($0) })
        }
        settings = settings.with("count", try fields.optionalWhole("count", -1...1_000_000).map { .whole($0) })
            .with("contentAvailable", try fields.optionalFlag("contentAvailable").map { .bool($0) })
        guard settings != [:] else { return nil }
        var bytes: [UInt8] = []
        settings.append(to: &bytes)
        return bytes
    }

    /// Sends one message to each receiver, and answers once all are durable. The answer lists the refused messages. If every receiver's
    /// message was refused, the answer is the first refusal, unless `mayReachNobody` is set.
    private func send(
        _ draft: ChatMessageDraft, to receivers: [Identifier], from sender: Identifier, _ options: ChatSendOptions,
        mayReachNobody: Bool
    ) {
        let name =
            draft.conversation == .direct || draft.conversation == .system
            ? "userId" : draft.conversation == .group ? "groupId" : "channelId"
        let outcomes = ChatAPIOutcomes(count: receivers.count) { [answer] outcomes in
            var messages: [JSONValue] = []
            var failed: [JSONValue] = []
            for (receiver, outcome) in zip(receivers, outcomes) {
                switch outcome {
                case .success(let id):
                    messages.append([name: .id(receiver), "messageId": .string("\(id.rawValue)"), "sentAt": .whole(id.time)])
                case .failure(let problem):
                    failed.append([
                        name: .id(receiver), "code": .whole(problem.code), "errorMessage": .string(problem.message),
                    ])
                }
            }
            if messages.isEmpty, !mayReachNobody, case .failure(let problem)? = outcomes.first {
                return answer(.failure(problem))
            }
            answer(.success(["messages": .array(messages), "failed": .array(failed)]))
        }
        for (index, receiver) in receivers.enumerated() {
            var draft = draft
            draft.to = receiver.text
            application.send(draft, by: .server(user: sender), options: options) { result in
                outcomes.note(
                    index,
                    result.mapError { ChatAPIProblem($0) }.flatMap { result in
                        guard case .sent(let id, _) = result else { return .failure(.unavailable) }
                        return .success(id)
                    })
            }
        }
    }
}

/// Collects the results of sending several messages, which may arrive in any order.
private final class ChatAPIOutcomes: Sendable {
    typealias Outcome = Result<ChatMessageID, ChatAPIProblem>

    private let state: NIOLockedValueBox<(outcomes: [Outcome], left: Int)>
    private let completion: @Sendable ([Outcome]) -> Void

    init(count: Int, completion: @escaping @Sendable ([Outcome]) -> Void) {
        state = NIOLockedValueBox((Array(repeating: .failure(.unavailable), count: count), count))
        self.completion = completion
        if count == 0 { completion([]) }
    }

    func note(_ index: Int, _ outcome: Outcome) {
        let all: [Outcome]? = state.withLockedValue { state in
            state.outcomes[index] = outcome
            state.left -= 1
            return state.left == 0 ? state.outcomes : nil
        }
        if let all { completion(all) }
    }
}
