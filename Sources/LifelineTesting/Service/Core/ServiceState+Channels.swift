import ChatProtocol
import Identifiers
import Lifeline
import PubNubProtocol
import PusherProtocol

// Events on channels, which are delivered to the clients of all three services.
extension ServiceState {
    /// Adds a member to a channel. All present members are notified, except the socket `sender`.
    mutating func arrive(_ member: TestMember, on name: String, but sender: UInt64? = nil) {
        let (isNew, count) = channel(name) { channel in
            let isNew = !channel.has(member.id)
            if isNew { channel.members.append(member) }
            return (isNew, channel.members.count)
        }
        guard isNew else { return }
        let frame = PusherFrames.memberAdded(
            channel: name, member: PusherMember(userID: member.id, infoJSON: member.info))
        for id in pusherSubscribers(of: name, but: sender) { tell(id, frame) }
        streamPresence(.join, of: member, on: name, count: count)
        tellChat(
            .openMembers(
                channel: Self.plain(name), actions: [ChatWireOpenAction(user: member.id, isJoin: true)], count: count,
                time: chatTime),
            inside: Self.plain(name), but: sender)
    }

    /// Changes the data of a present member. Other clients are notified only with PubNub's protocol.
    ///
    /// - Returns: whether the user is present.
    @discardableResult
    mutating func update(_ member: TestMember, on name: String) -> Bool {
        let count = channel(name) { channel -> Int? in
            guard let index = channel.members.firstIndex(where: { $0.id.isExactly(member.id) }) else { return nil }
            channel.members[index] = member
            return channel.members.count
        }
        guard let count else { return false }
        streamPresence(.stateChange, of: member, on: name, count: count)
        return true
    }

    /// Removes a user from a channel. All present members are notified, except the socket `sender`.
    mutating func depart(_ user: String, from name: String, but sender: UInt64? = nil) {
        let (member, count) = channel(name) { channel in
            let member = channel.members.first { $0.id.isExactly(user) }
            channel.members.removeAll { $0.id.isExactly(user) }
            return (member, channel.members.count)
        }
        guard let member else { return }
        let frame = PusherFrames.memberRemoved(channel: name, userID: user)
        for id in pusherSubscribers(of: name, but: sender) { tell(id, frame) }
        streamPresence(.leave, of: member, on: name, count: count)
        tellChat(
            .openMembers(
                channel: Self.plain(name), actions: [ChatWireOpenAction(user: user, isJoin: false)], count: count,
                time: chatTime),
            inside: Self.plain(name), but: sender)
    }

    /// Delivers a message of another user to the subscribers of a channel.
    mutating func deliver(_ json: String, event: String?, on name: String, from user: String?) {
        let frame = PusherFrames.event(name: event ?? "message", channel: name, data: json, userID: user)
        for id in pusherSubscribers(of: name) { tell(id, frame) }
        publish(
            TestPubNubMessage(
                tick: nextTick(), channel: name, payload: Array(json.utf8), publisher: user ?? "somebody", customType: event))
        deliverChat(json, type: event, on: name, from: user)
    }

    /// Notifies clients that another user is typing or has stopped. Clients of chat are notified only of the start, and only on direct
    /// channels.
    mutating func setTyping(_ isTyping: Bool, of user: String, on name: String) {
        let kind = PusherChannelKind(of: name)
        if kind.allowsClientEvents {
            let isPresence = kind.access == .presence
            let frame = PusherFrames.event(
                name: "client-" + TypingSignal.event, channel: name,
                data: TypingSignal(isTyping: isTyping, user: isPresence ? nil : user).json, userID: isPresence ? user : nil)
            for id in pusherSubscribers(of: name) { tell(id, frame) }
        }
        publish(
            TestPubNubMessage(
                tick: nextTick(), channel: name, payload: Array(TypingSignal(isTyping: isTyping).json.utf8), publisher: user,
                kind: .signal), isStored: false)
        let (conversation, id) = Self.chatChannel(name)
        guard conversation == .direct, isTyping else { return }
        for other in chatUsers where !other.isExactly(id) {
            let event = ChatWireEvent.typing(from: id, to: other, type: "RC:TxtMsg", time: chatTime)
            for socket in chatSockets(of: other) { tell(socket, ChatServerFrames.transient(event.body)) }
        }
    }

    /// Records a message that the app has published. Typing indicators are not recorded.
    mutating func record(_ publication: TestPublication) {
        guard TypingSignal(publication.json) == nil else { return }
        publications.append(publication)
    }
}
