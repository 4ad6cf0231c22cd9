import WireCoding

extension ChatWireEvent {
    /// The encoded event: the object `e` of chat-protocol.md. It is encoded and stored once. ``ChatServerFrames`` wraps it for each
    /// receiver without encoding it again.
    public var body: [UInt8] {
        if case .message(let message) = self { return message.body }
        return WireWriter.object { $0.event(self) }
    }

    /// The kind of the event: its member `k`.
    public var kind: String {
        switch self {
        case .message: "msg"
        case .recall: "recall"
        case .edit: "edit"
        case .metadata: "meta"
        case .receipt: "receipt"
        case .read: "read"
        case .settings: "set"
        case .typing: "typing"
        case .group: "group"
        case .groupInfo: "groupInfo"
        case .groupMember: "groupMember"
        case .openMembers: "openMembers"
        case .openMetadata: "openMeta"
        case .openMute: "openMute"
        case .openBan: "openBan"
        case .openDestroyed: "openDestroyed"
        case .openSync: "openSync"
        case .presence: "presence"
        case .unknown(let kind, _): kind
        }
    }
}

extension ChatMessage {
    /// The encoded event `msg` of this message.
    public var body: [UInt8] {
        WireWriter.object(reserving: content.count + 192 + from.utf8.count + to.utf8.count) {
            $0.text("k", "msg")
            $0.id("id", id)
            $0.number("time", time)
            $0.text("conv", conversation.word)
            $0.text("from", from)
            $0.text("to", to)
            $0.text("type", type)
            $0.json("content", content)
            $0.text("cid", clientID)
            $0.options(options)
            if let edited { $0.number("edited", edited) }
            $0.text("bridge", bridge)
        }
    }
}

extension ChatMessageDraft {
    /// The message that a server makes from this draft, with an id and a sender.
    public func message(id: ChatMessageID, from: String) -> ChatMessage {
        ChatMessage(
            id: id, conversation: conversation, from: from, to: to, type: type, content: content, clientID: clientID,
            options: options)
    }
}

extension WireWriter {
    fileprivate mutating func event(_ event: ChatWireEvent) {
        text("k", event.kind)
        switch event {
        case .message, .unknown: break
        case .recall(let recall):
            parties(recall.conversation, from: recall.from, to: recall.to)
            id("id", recall.id)
            text("sender", recall.sender)
            number("time", recall.time)
        case .edit(let edit):
            parties(edit.conversation, from: edit.from, to: edit.to)
            id("id", edit.id)
            json("content", edit.content)
            number("time", edit.time)
        case .metadata(let change):
            parties(change.conversation, from: change.from, to: change.to)
            id("id", change.id)
            pairs("set", change.set)
            texts("del", change.deleted)
            number("time", change.time)
        case .receipt(let receipts):
            parties(receipts.conversation, from: receipts.from, to: receipts.to)
            objects("items", receipts.items) { $0.receipt($1) }
            number("time", receipts.time)
        case .read(let channel, let time):
            self.channel(channel)
            number("time", time)
        case .settings(let settings): self.settings(settings)
        case .typing(let from, let to, let type, let time):
            text("from", from)
            text("to", to)
            text("type", type)
            number("time", time)
        case .group(let operation):
            text("op", operation.kind.rawValue)
            object("group") { $0.group(operation.group) }
            text("operator", operation.operator)
            objects("members", operation.members) { $0.member($1) }
            number("time", operation.time)
        case .groupInfo(let group, let changed, let `operator`, let time):
            object("group") { $0.group(group) }
            texts("changed", changed)
            text("operator", `operator`)
            number("time", time)
        case .groupMember(let group, let `operator`, let member, let time):
            text("id", group)
            text("operator", `operator`)
            object("member") { $0.member(member) }
            number("time", time)
        case .openMembers, .openMetadata, .openMute, .openBan, .openDestroyed, .openSync: openEvent(event)
        case .presence(let events):
            objects("events", events) {
                $0.text("user", $1.user)
                $0.flag("online", $1.isOnline)
                $0.number("time", $1.time)
            }
        }
    }

    private mutating func openEvent(_ event: ChatWireEvent) {
        switch event {
        case .openMembers(let channel, let actions, let count, let time):
            text("ch", channel)
            objects("actions", actions) {
                $0.text("user", $1.user)
                $0.text("action", $1.isJoin ? "join" : "leave")
            }
            number("count", count)
            number("time", time)
        case .openMetadata(let channel, let changes, let time):
            text("ch", channel)
            objects("changes", changes) {
                $0.text("key", $1.key)
                $0.text("value", $1.value)
                $0.text("op", $1.value == nil ? "remove" : "update")
            }
            number("time", time)
        case .openMute(let mute):
            text("ch", mute.channel)
            text("type", mute.kind.rawValue)
            texts("users", mute.users)
            number("duration", mute.duration)
            number("time", mute.time)
        case .openBan(let channel, let users, let duration, let time):
            text("ch", channel)
            texts("users", users)
            number("duration", duration)
            number("time", time)
        case .openDestroyed(let channel, let isManual, let time):
            text("ch", channel)
            text("by", isManual ? "manual" : "auto")
            number("time", time)
        case .openSync(let channel, let isJoin, let isOtherDevice):
            text("ch", channel)
            text("status", isJoin ? "join" : "quit")
            text("reason", isOtherDevice ? "otherDevice" : "own")
        default: break
        }
    }

    private mutating func parties(_ conversation: ChatConversationKind, from: String, to: String) {
        text("conv", conversation.word)
        text("from", from)
        text("to", to)
    }
}
