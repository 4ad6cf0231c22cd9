import ChatProtocol
import Identifiers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request that a node of a cluster sends to the leader, for chat.
enum ChatClusterRequest: Sendable {
    /// The sign-in of a session.
    struct Opening: Hashable, Sendable {
        var id: UInt64
        /// The session's name in logs and webhooks.
        var name: String
        var address: String
        var credentials: ChatSessionCredentials
    }

    case signIn(app: String, Opening)
    case signOut(app: String, session: UInt64, leaving: Bool?)
    /// The frame of a session's request, unchanged. The answer has the same `number`.
    case perform(app: String, session: UInt64, number: UInt64, frame: ByteBuffer)
    case refuse(app: String, session: UInt64, number: UInt64, ChatRequestRefusal)
    case acknowledge(app: String, [ChatInboxPlace])
    case typing(app: String, session: UInt64, to: Identifier, type: String)
    case presence(app: String, session: UInt64)
    case inbox(app: String, user: Identifier, after: UInt64)
    /// A call of the server API.
    case call(HTTPRequest)
    case issueToken(app: String, hash: Identifier, user: Identifier, name: String?)
    /// A message of another service for an open channel.
    case publish(app: String, channel: String, type: String, content: [UInt8], service: String, user: Identifier)
    /// The ids of all sessions that a node has for an application.
    case announce(app: String, [UInt64])
    /// A call of the server API that issues a token. The node has made the token, and the leader only gets its hash.
    case issueCall(HTTPRequest, hash: Identifier)

    private enum Kind: UInt8 {
        case signIn = 1
        case signOut, perform, refuse, acknowledge, typing, presence, inbox, call, issueToken, publish, announce, issueCall
    }

    private var kind: Kind {
        switch self {
        case .signIn: .signIn
        case .signOut: .signOut
        case .perform: .perform
        case .refuse: .refuse
        case .acknowledge: .acknowledge
        case .typing: .typing
        case .presence: .presence
        case .inbox: .inbox
        case .call: .call
        case .issueToken: .issueToken
        case .publish: .publish
        case .announce: .announce
        case .issueCall: .issueCall
        }
    }
}

extension ChatClusterRequest: CodedValue {
    static func code(_ value: ChatClusterRequest?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatClusterRequest {
        switch try fields.kind(value?.kind) {
        case .signIn:
            let given = value.flatMap { if case .signIn(let app, let opening) = $0 { (app, opening) } else { nil } }
            return .signIn(app: try fields.field(1, given?.0), try fields.field(2, given?.1))
        case .signOut:
            let given = value.flatMap { if case .signOut(let app, let id, let leaving) = $0 { (app, id, leaving) } else { nil } }
            return .signOut(
                app: try fields.field(1, given?.0), session: try fields.field(2, given?.1),
                leaving: try fields.optional(3, given?.2))
        case .perform:
            let given = value.flatMap {
                if case .perform(let app, let id, let number, let frame) = $0 { (app, id, number, frame) } else { nil }
            }
            return .perform(
                app: try fields.field(1, given?.0), session: try fields.field(2, given?.1), number: try fields.field(3, given?.2),
                frame: try fields.field(4, given?.3))
        case .refuse:
            let given = value.flatMap {
                if case .refuse(let app, let id, let number, let refusal) = $0 { (app, id, number, refusal) } else { nil }
            }
            return .refuse(
                app: try fields.field(1, given?.0), session: try fields.field(2, given?.1), number: try fields.field(3, given?.2),
                try fields.field(4, given?.3))
        case .acknowledge:
            let given = value.flatMap { if case .acknowledge(let app, let places) = $0 { (app, places) } else { nil } }
            return .acknowledge(app: try fields.field(1, given?.0), try fields.list(2, given?.1))
        case .typing:
            let given = value.flatMap {
                if case .typing(let app, let id, let user, let type) = $0 { (app, id, user, type) } else { nil }
            }
            return .typing(
                app: try fields.field(1, given?.0), session: try fields.field(2, given?.1), to: try fields.field(3, given?.2),
                type: try fields.field(4, given?.3))
        case .presence:
            let given = value.flatMap { if case .presence(let app, let id) = $0 { (app, id) } else { nil } }
            return .presence(app: try fields.field(1, given?.0), session: try fields.field(2, given?.1))
        case .inbox:
            let given = value.flatMap { if case .inbox(let app, let user, let after) = $0 { (app, user, after) } else { nil } }
            return .inbox(
                app: try fields.field(1, given?.0), user: try fields.field(2, given?.1), after: try fields.field(3, given?.2))
        case .call:
            return .call(try fields.field(1, value.flatMap { if case .call(let request) = $0 { request } else { nil } }))
        case .issueToken:
            let given = value.flatMap {
                if case .issueToken(let app, let hash, let user, let name) = $0 { (app, hash, user, name) } else { nil }
            }
            return .issueToken(
                app: try fields.field(1, given?.0), hash: try fields.field(2, given?.1), user: try fields.field(3, given?.2),
                name: try fields.optional(4, given?.3))
        case .publish: return try publication(value, &fields)
        case .announce:
            let given = value.flatMap { if case .announce(let app, let sessions) = $0 { (app, sessions) } else { nil } }
            return .announce(app: try fields.field(1, given?.0), try fields.list(2, given?.1))
        case .issueCall:
            let given = value.flatMap { if case .issueCall(let request, let hash) = $0 { (hash, request) } else { nil } }
            let hash = try fields.field(1, given?.0)
            return .issueCall(try fields.field(2, given?.1), hash: hash)
        }
    }

    private static func publication(
        _ value: ChatClusterRequest?, _ fields: inout FieldCoder
    ) throws(ClusterCodingError) -> ChatClusterRequest {
        let given = value.flatMap {
            if case .publish(let app, let channel, let type, let content, let service, let user) = $0 {
                (app, channel, type, service, user, content)
            } else {
                nil
            }
        }
        let (app, channel) = (try fields.field(1, given?.0), try fields.field(2, given?.1))
        let (type, service, user) = (try fields.field(3, given?.2), try fields.field(4, given?.3), try fields.field(5, given?.4))
        return .publish(
            app: app, channel: channel, type: type, content: try fields.field(6, given?.5), service: service, user: user)
    }
}

extension ChatClusterRequest.Opening: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let given = value?.credentials
        return Self(
            id: try fields.field(1, value?.id), name: try fields.field(2, value?.name),
            address: try fields.field(3, value?.address),
            credentials: ChatSessionCredentials(
                token: try fields.field(4, given?.token), device: try fields.field(5, given?.device),
                isReconnect: try fields.field(6, given?.isReconnect), yields: try fields.field(7, given?.yields),
                resume: try fields.optional(8, given?.resume)))
    }
}
