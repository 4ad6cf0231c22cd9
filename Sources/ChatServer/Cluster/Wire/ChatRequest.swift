import Identifiers
import NIOCore
import NexconnProtocol
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request of a node of a cluster to the leader, for chat.
enum ChatRequest: Sendable {
    /// The sign-in of a session.
    struct Opening: Hashable, Sendable {
        var id: UInt64
        /// The session's name in logs and webhooks.
        var name: String
        var address: String
        var credentials: NexconnCredentials
    }

    case signIn(app: String, Opening)
    case signOut(app: String, session: UInt64, leaving: Bool?)
    /// A frame of a session as received, with the number of its answer.
    case perform(app: String, session: UInt64, number: UInt64, frame: ByteBuffer)
    case refuse(app: String, session: UInt64, number: UInt64, NexconnRefusal)
    case acknowledge(app: String, [ChatInboxPlace])
    case typing(app: String, session: UInt64, to: Identifier, type: String)
    case presence(app: String, session: UInt64)
    case inbox(app: String, user: Identifier, after: UInt64)
    /// A call of the server API.
    case call(HTTPRequest)
    case issueToken(app: String, hash: Identifier, user: Identifier, name: String?)
    /// A message of another service for an open channel.
    case publish(app: String, channel: String, type: String, content: [UInt8], service: String, user: Identifier)
    /// The sessions of a node.
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

    // MARK: Writing

    var encoded: ByteBuffer {
        var out = ByteBuffer()
        out.writeInteger(kind.rawValue)
        switch self {
        case .signIn(let app, let opening):
            out.write(text: app)
            out.write(opening)
        case .signOut(let app, let session, let leaving):
            out.write(text: app)
            out.writeInteger(session)
            out.write(optional: leaving) { $0.write(flag: $1) }
        case .perform(let app, let session, let number, let frame):
            out.write(text: app)
            out.writeInteger(session)
            out.writeInteger(number)
            out.write(buffer: frame)
        case .refuse(let app, let session, let number, let refusal):
            out.write(text: app)
            out.writeInteger(session)
            out.writeInteger(number)
            out.write(refusal)
        case .acknowledge(let app, let places):
            out.write(text: app)
            out.write(list: places) { buffer, place in
                buffer.write(text: place.user.text)
                buffer.writeInteger(place.sequence)
            }
        case .typing(let app, let session, let user, let type):
            out.write(text: app)
            out.writeInteger(session)
            out.write(text: user.text)
            out.write(text: type)
        case .presence(let app, let session):
            out.write(text: app)
            out.writeInteger(session)
        case .inbox(let app, let user, let sequence):
            out.write(text: app)
            out.write(text: user.text)
            out.writeInteger(sequence)
        case .call(let request): out.write(request: request)
        case .issueToken(let app, let hash, let user, let name):
            for text in [app, hash.text, user.text] { out.write(text: text) }
            out.write(optional: name) { $0.write(text: $1) }
        case .publish(let app, let channel, let type, let content, let service, let user):
            for text in [app, channel, type, service, user.text] { out.write(text: text) }
            out.write(bytes: content)
        case .announce(let app, let sessions):
            out.write(text: app)
            out.write(list: sessions) { $0.writeInteger($1) }
        case .issueCall(let request, let hash):
            out.write(text: hash.text)
            out.write(request: request)
        }
        return out
    }

    // MARK: Reading

    init(_ bytes: ByteBuffer) throws(ClusterCodingError) {
        var bytes = bytes
        guard let kind = Kind(rawValue: try bytes.number()) else { throw ClusterCodingError() }
        switch kind {
        case .signIn: self = .signIn(app: try bytes.text(), try bytes.opening())
        case .signOut:
            self = .signOut(
                app: try bytes.text(), session: try bytes.number(),
                leaving: try bytes.optional { (buffer) throws(ClusterCodingError) in try buffer.flag() })
        case .perform:
            self = .perform(
                app: try bytes.text(), session: try bytes.number(), number: try bytes.number(), frame: try bytes.buffer())
        case .refuse:
            self = .refuse(
                app: try bytes.text(), session: try bytes.number(), number: try bytes.number(), try bytes.refusal())
        case .acknowledge:
            self = .acknowledge(
                app: try bytes.text(),
                try bytes.list { (buffer) throws(ClusterCodingError) in
                    ChatInboxPlace(user: try buffer.identifier(), sequence: try buffer.number())
                })
        case .typing:
            self = .typing(
                app: try bytes.text(), session: try bytes.number(), to: try bytes.identifier(), type: try bytes.text())
        case .presence: self = .presence(app: try bytes.text(), session: try bytes.number())
        case .inbox: self = .inbox(app: try bytes.text(), user: try bytes.identifier(), after: try bytes.number())
        case .call: self = .call(try bytes.request())
        case .issueToken:
            self = .issueToken(
                app: try bytes.text(), hash: try bytes.identifier(), user: try bytes.identifier(),
                name: try bytes.optional { (buffer) throws(ClusterCodingError) in try buffer.text() })
        case .publish:
            let (app, channel, type) = (try bytes.text(), try bytes.text(), try bytes.text())
            let (service, user) = (try bytes.text(), try bytes.identifier())
            self = .publish(
                app: app, channel: channel, type: type, content: try bytes.bytes(), service: service, user: user)
        case .announce:
            self = .announce(
                app: try bytes.text(), try bytes.list { (buffer) throws(ClusterCodingError) in try buffer.number() })
        case .issueCall:
            let hash = try bytes.identifier()
            self = .issueCall(try bytes.request(), hash: hash)
        }
        try bytes.end()
    }
}

extension ByteBuffer {
    fileprivate mutating func write(_ opening: ChatRequest.Opening) {
        writeInteger(opening.id)
        for text in [opening.name, opening.address, opening.credentials.token.text] { write(text: text) }
        write(opening.credentials.device)
        write(flag: opening.credentials.isReconnect)
        write(flag: opening.credentials.yields)
        write(optional: opening.credentials.resume) { buffer, resume in
            buffer.write(text: resume.epoch)
            buffer.writeInteger(resume.sequence)
        }
    }

    fileprivate mutating func opening() throws(ClusterCodingError) -> ChatRequest.Opening {
        let (id, name, address, token) = (try number(UInt64.self), try text(), try text(), try identifier())
        let (device, isReconnect, yields) = (try device(), try flag(), try flag())
        let resume = try optional { (buffer) throws(ClusterCodingError) in
            NexconnPlace(epoch: try buffer.text(), sequence: try buffer.number())
        }
        return ChatRequest.Opening(
            id: id, name: name, address: address,
            credentials: NexconnCredentials(
                token: token, device: device, isReconnect: isReconnect, yields: yields, resume: resume))
    }

    mutating func identifier() throws(ClusterCodingError) -> Identifier { Identifier(try text()) }

    mutating func write(_ device: NexconnDevice) {
        for text in [device.id, device.class.rawValue, device.system] { write(text: text) }
    }

    mutating func device() throws(ClusterCodingError) -> NexconnDevice {
        let (id, word, system) = (try text(), try text(), try text())
        guard let kind = NexconnDevice.Class(rawValue: word) else { throw ClusterCodingError() }
        return NexconnDevice(id: id, class: kind, system: system)
    }

    mutating func write(_ refusal: NexconnRefusal) {
        writeInteger(Int64(refusal.code.rawValue))
        write(text: refusal.reason)
        write(optional: refusal.retryAfter) { $0.writeInteger(Int64($1)) }
    }

    mutating func refusal() throws(ClusterCodingError) -> NexconnRefusal {
        let (code, reason) = (try number(Int64.self), try text())
        let after = try optional { (buffer) throws(ClusterCodingError) in Int(clamping: try buffer.number(Int64.self)) }
        return NexconnRefusal(NexconnCode(Int(clamping: code)), reason, retryAfter: after)
    }
}
