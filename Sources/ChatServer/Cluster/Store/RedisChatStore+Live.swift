import ChatProtocol
import Identifiers
import NIOCore
import ServerCluster

/// A session in its stored form, from which another process can continue it.
struct ChatSessionRecord: Hashable, Sendable {
    var node: ClusterNode
    /// The session's name in logs and webhooks.
    var name: String
    var address: String
    var device: ChatDevice
    var user: Identifier
    var tokenIssued: Int64
    var signedIn: Int64
}

extension ChatSessionRecord: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let (node, name) = (try fields.field(1, value?.node), try fields.field(2, value?.name))
        let (address, user) = (try fields.field(3, value?.address), try fields.field(4, value?.user))
        return Self(
            node: node, name: name, address: address, device: try fields.field(5, value?.device), user: user,
            tokenIssued: try fields.field(6, value?.tokenIssued), signedIn: try fields.field(7, value?.signedIn))
    }
}

extension RedisChatStore {
    // MARK: Writing

    /// Returns the writes that store added sessions and participants, and delete removed ones.
    func writes(
        for live: ChatLiveChanges, of application: Identifier, sessions: ChatNodeSessions, nodes: [ClusterNode?]
    ) -> [StoreWrite] {
        var (puts, removals) = (Puts(), Removals())
        for (id, value) in live.sessions {
            let field = StoreWord.text("\(id)")
            if let value, let peer = sessions.peer(id), let node = nodes[value.session.eventLoopID] {
                let record = ChatSessionRecord(
                    node: node, name: peer.session, address: peer.address, device: peer.device, user: value.user,
                    tokenIssued: value.tokenIssued, signedIn: value.signedIn)
                puts.sessions.append(StoreField(field, .bytes(record.encoded())))
            } else {
                removals.sessions.append(field)
            }
        }
        for (channel, user, value) in live.participants {
            let field = StoreWord.text("\(channel.text)\u{1F}\(user.text)")
            if let value { puts.seats.append(StoreField(field, .bytes(value.encoded()))) } else { removals.seats.append(field) }
        }
        for (user, value) in live.presence {
            let field = StoreWord.text(user.text)
            if let value {
                puts.presence.append(StoreField(field, .bytes(value.encoded())))
            } else {
                removals.presence.append(field)
            }
        }
        return puts.writes(keys, of: application) { .put($0, $1) }
            + removals.writes(keys, of: application) { .removeFields($0, $1) }
    }

    private typealias Puts = Maps<StoreField>
    private typealias Removals = Maps<StoreWord>

    /// Changed elements of the three maps of connected sessions, participants and online users.
    private struct Maps<Element> {
        var sessions: [Element] = []
        var seats: [Element] = []
        var presence: [Element] = []

        func writes(
            _ keys: ChatKeys, of application: Identifier, _ make: (StoreKey, [Element]) -> StoreWrite
        ) -> [StoreWrite] {
            let all: [(ChatKeys.Kind, [Element])] = [(.sessions, sessions), (.seats, seats), (.presence, presence)]
            return all.filter { !$0.1.isEmpty }.map { make(keys.key($0.0, application), $0.1) }
        }
    }

    // MARK: Reading

    /// The stored sessions of an application, with their nodes, and the stored participants and online statuses.
    func live(of application: Identifier) async throws -> (sessions: [UInt64: ChatSessionRecord], live: ChatLive) {
        try await settle()
        var sessions: [UInt64: ChatSessionRecord] = [:]
        var participants: [Identifier: ChatLive.Participant] = [:]
        var presence: [Identifier: ChatLive.Presence] = [:]
        try await scan(keys.key(.sessions, application)) { page in
            for field in page {
                guard let id = UInt64(String(buffer: field.name)) else { throw Problem.damaged }
                sessions[id] = try ChatSessionRecord(decoding: field.value)
            }
        }
        try await scan(keys.key(.seats, application)) { page in
            for field in page {
                participants[Self.name(field)] = try ChatLive.Participant(decoding: field.value)
            }
        }
        try await scan(keys.key(.presence, application)) { page in
            for field in page {
                presence[Self.name(field)] = try ChatLive.Presence(decoding: field.value)
            }
        }
        var live = ChatLive()
        live.participants = Array(participants.values)
        live.presence = Array(presence.values)
        return (sessions, live)
    }
}

extension ChatLive.Participant: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            channel: try fields.field(1, value?.channel), user: try fields.field(2, value?.user),
            entered: try fields.field(3, value?.entered), sessions: try fields.list(4, value?.sessions),
            leavesAt: try fields.optional(5, value?.leavesAt))
    }
}

extension ChatLive.Presence: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            state: ChatPresenceState(
                user: try fields.field(1, value?.state.user), isOnline: try fields.field(2, value?.state.isOnline),
                time: try fields.field(3, value?.state.time)),
            leaving: try fields.optional(4, value?.leaving))
    }
}

extension ChatLive.Presence.Leaving: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(deadline: try fields.field(1, value?.deadline), since: try fields.field(2, value?.since))
    }
}
