import Identifiers
import NIOCore
import NexconnProtocol
import RedisClient
import ServerCluster

/// A session as stored in Redis, so that another process can continue it.
struct ChatSessionRecord: Hashable, Sendable {
    var node: ClusterNode
    /// The session's name in logs and webhooks.
    var name: String
    var address: String
    var device: NexconnDevice
    var user: Identifier
    var tokenIssued: Int64
    var signedIn: Int64

    var encoded: ByteBuffer {
        var out = ByteBuffer()
        out.write(node: node)
        for text in [name, address, user.text] { out.write(text: text) }
        out.write(device)
        out.writeInteger(tokenIssued)
        out.writeInteger(signedIn)
        return out
    }
}

extension ChatSessionRecord {
    init(_ bytes: ByteBuffer) throws(ClusterCodingError) {
        var bytes = bytes
        node = try bytes.node()
        (name, address) = (try bytes.text(), try bytes.text())
        (user, device) = (try bytes.identifier(), try bytes.device())
        (tokenIssued, signedIn) = (try bytes.number(), try bytes.number())
        try bytes.end()
    }
}

extension RedisChatStore {
    // MARK: Writing

    /// The commands that store sessions and participants that were added or removed.
    func writes(
        for live: ChatLiveChanges, _ application: Identifier, _ sessions: NexconnNodeSessions, _ nodes: [ClusterNode?]
    ) -> [RedisCommand] {
        var (puts, removals) = (Fields(), Fields())
        for (id, value) in live.sessions {
            let field = RedisArgument.text("\(id)")
            if let value, let peer = sessions.peer(id), let node = nodes[value.session.eventLoopID] {
                let record = ChatSessionRecord(
                    node: node, name: peer.session, address: peer.address, device: peer.device, user: value.user,
                    tokenIssued: value.tokenIssued, signedIn: value.signedIn)
                puts.sessions += [field, .bytes(record.encoded)]
            } else {
                removals.sessions.append(field)
            }
        }
        for (channel, user, value) in live.participants {
            let field = RedisArgument.text("\(channel.text)\u{1F}\(user.text)")
            if let value { puts.seats += [field, .bytes(value.encoded)] } else { removals.seats.append(field) }
        }
        for (user, value) in live.presence {
            let field = RedisArgument.text(user.text)
            if let value { puts.presence += [field, .bytes(value.encoded)] } else { removals.presence.append(field) }
        }
        return puts.commands("HSET", keys, application) + removals.commands("HDEL", keys, application)
    }

    private struct Fields {
        var sessions: [RedisArgument] = []
        var seats: [RedisArgument] = []
        var presence: [RedisArgument] = []

        func commands(_ name: String, _ keys: ChatKeys, _ application: Identifier) -> [RedisCommand] {
            let all: [(ChatKeys.Kind, [RedisArgument])] = [(.sessions, sessions), (.seats, seats), (.presence, presence)]
            return all.filter { !$0.1.isEmpty }.map { RedisCommand(name, [keys.key($0.0, application)] + $0.1) }
        }
    }

    // MARK: Reading

    /// The sessions that were connected to an application, with their nodes.
    func live(of application: Identifier) async throws -> (sessions: [UInt64: ChatSessionRecord], live: ChatLive) {
        try await settle()
        var sessions: [UInt64: ChatSessionRecord] = [:]
        var participants: [Identifier: ChatLive.Participant] = [:]
        var presence: [Identifier: ChatLive.Presence] = [:]
        try await scan(keys.key(.sessions, application)) { page in
            for (field, value) in page {
                guard let id = field.text.flatMap({ UInt64($0) }), let bytes = value.bytes else { throw Problem.damaged }
                sessions[id] = try ChatSessionRecord(bytes)
            }
        }
        try await scan(keys.key(.seats, application)) { page in
            for (field, value) in page {
                guard let name = field.text, let bytes = value.bytes else { throw Problem.damaged }
                participants[Identifier(name)] = try ChatLive.Participant(bytes)
            }
        }
        try await scan(keys.key(.presence, application)) { page in
            for (field, value) in page {
                guard let bytes = value.bytes else { throw Problem.damaged }
                presence[try Self.name(field)] = try ChatLive.Presence(bytes)
            }
        }
        var live = ChatLive()
        live.participants = Array(participants.values)
        live.presence = Array(presence.values)
        return (sessions, live)
    }
}

extension ChatLive.Participant {
    var encoded: ByteBuffer {
        var out = ByteBuffer()
        out.write(text: channel.text)
        out.write(text: user.text)
        out.writeInteger(entered)
        out.write(list: sessions) { $0.writeInteger($1) }
        out.write(optional: leavesAt) { $0.writeInteger($1) }
        return out
    }

    init(_ bytes: ByteBuffer) throws(ClusterCodingError) {
        var bytes = bytes
        let (channel, user, entered) = (try bytes.identifier(), try bytes.identifier(), try bytes.number(Int64.self))
        let sessions = try bytes.list { (buffer) throws(ClusterCodingError) in try buffer.number(UInt64.self) }
        let leavesAt = try bytes.optional { (buffer) throws(ClusterCodingError) in try buffer.number(Int64.self) }
        try bytes.end()
        self.init(channel: channel, user: user, entered: entered, sessions: sessions, leavesAt: leavesAt)
    }
}

extension ChatLive.Presence {
    var encoded: ByteBuffer {
        var out = ByteBuffer()
        out.write(text: state.user.text)
        out.write(flag: state.isOnline)
        out.writeInteger(state.time)
        out.write(optional: leaving) { buffer, leaving in
            buffer.writeInteger(leaving.deadline)
            buffer.writeInteger(leaving.since)
        }
        return out
    }

    init(_ bytes: ByteBuffer) throws(ClusterCodingError) {
        var bytes = bytes
        let state = ChatPresenceState(user: try bytes.identifier(), isOnline: try bytes.flag(), time: try bytes.number())
        let leaving = try bytes.optional { (buffer) throws(ClusterCodingError) in
            Leaving(deadline: try buffer.number(), since: try buffer.number())
        }
        try bytes.end()
        self.init(state: state, leaving: leaving)
    }
}
