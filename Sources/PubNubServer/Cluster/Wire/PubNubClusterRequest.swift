import Identifiers
import NIOCore
import NIOHTTP1
import PubNubProtocol
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request from a node to the leader.
enum PubNubClusterRequest: Sendable {
    /// An HTTP request of a client. The node returns the answer to the client.
    case http(HTTPRequest)
    /// A message that the node's own process publishes, or that its bridge brings from another service. No access right is checked, because
    /// the message does not come from a client of this service. The answer is a ``ClusterPublishOutcome``.
    case publish(PubNubDraft, isBridged: Bool, subscribeKey: String)
    /// Reports that a subscriber is present. The answer is empty.
    case touch(PresenceTouch, subscribeKey: String)
    /// Reports a subscriber's cursor that is ahead of the node's clock. A node also sends it when it announces itself to a new leader; the
    /// timetoken is then that of the newest message in the node's replica of the keyset. The answer is empty.
    case advance(past: UInt64, subscribeKey: String)
    /// The node starts to serve a keyset and requests a snapshot with all recent messages, as nodes of the previous version do. The answer
    /// is empty when the leader does not have the keyset yet, and one byte otherwise.
    case state(subscribeKey: String)
    /// Requests a snapshot without messages. Otherwise the request is like ``state(subscribeKey:)``. The node requests the messages that it
    /// needs with ``missed(_:subscribeKey:)``. Only leaders that have sent ``PubNubFact/answersMissed`` support this request.
    case stateWithoutMessages(subscribeKey: String)
    /// Requests one piece of a snapshot that the leader has prepared. The answer is an encoded ``PubNubFact``, or empty when the leader no
    /// longer has the snapshot.
    case piece(snapshot: UInt64, index: UInt32)
    /// Announces for each keyset the timetoken up to which the node's replica has all messages; nil for an incomplete replica.
    case cursors([(subscribeKey: String, visible: UInt64?)])
    /// Reports that the node has written the content of a file to Redis. The answer is a ``FileOutcome``.
    case file(KeysetRecord, FileOrigin, subscribeKey: String)

    /// Requests messages that the node's polls need and its replica lacks. All of them were published before the replica's position in the
    /// log. The answer is a ``CatchUpAnswer``, or empty when the leader does not have the keyset yet. Only leaders that have sent
    /// ``PubNubFact/answersMissed`` support this request.
    case missed([StreamRange], subscribeKey: String)

    /// The presence part of a subscriber's poll: the user, the requested timeout, and the channels with their states.
    struct PresenceTouch: Hashable, Sendable {
        struct Place: Hashable, Sendable {
            var channel: Identifier
            /// The presence state as JSON text, if the request contains one.
            var state: [UInt8]?
        }

        var user: OccupancyUser
        /// The presence timeout in seconds that the client requests.
        var timeout: Int?
        var places: [Place]
    }
}

/// The leader's answer to ``PubNubClusterRequest/publish(_:isBridged:subscribeKey:)``.
enum ClusterPublishOutcome: Hashable, Sendable {
    case published(UInt64)
    case unknownKeyset
    case notStored

    init(_ result: Result<Timetoken, PubNubErrorBody>) {
        switch result {
        case .success(let token): self = .published(token.rawValue)
        case .failure: self = .notStored
        }
    }
}

extension PubNubClusterRequest: CodedValue {
    private enum Kind: UInt8 {
        case http = 1
        case publish = 2
        case touch = 3
        // The numbers 4 and 7 are not used again. In earlier versions, 4 was `advance` without a keyset, and 7 was `file` without the time
        // at which the upload form was issued.
        case state = 5
        case cursors = 6
        case piece = 8
        case advance = 9
        case file = 10
        case missed = 11
        case stateWithoutMessages = 12
    }

    private var kind: Kind {
        switch self {
        case .http: .http
        case .publish: .publish
        case .touch: .touch
        case .state: .state
        case .cursors: .cursors
        case .piece: .piece
        case .advance: .advance
        case .file: .file
        case .missed: .missed
        case .stateWithoutMessages: .stateWithoutMessages
        }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value?.kind) {
        case .http: return .http(try fields.field(1, value.flatMap { if case .http(let request) = $0 { request } else { nil } }))
        case .publish:
            let given = value.flatMap {
                if case .publish(let draft, let isBridged, let key) = $0 { (key, draft, isBridged) } else { nil }
            }
            let (key, draft) = (try fields.field(1, given?.0), try fields.field(2, given?.1))
            return .publish(draft, isBridged: try fields.field(3, given?.2), subscribeKey: key)
        case .touch:
            let given = value.flatMap { if case .touch(let touch, let key) = $0 { (key, touch) } else { nil } }
            let key = try fields.field(1, given?.0)
            return .touch(try fields.field(2, given?.1), subscribeKey: key)
        case .state:
            return .state(subscribeKey: try fields.field(1, value.flatMap { if case .state(let key) = $0 { key } else { nil } }))
        case .cursors:
            let given = value.flatMap { if case .cursors(let cursors) = $0 { cursors } else { nil } }
            let cursors = try fields.list(1, given?.map { Cursor(subscribeKey: $0.subscribeKey, visible: $0.visible) })
            return .cursors(cursors.map { ($0.subscribeKey, $0.visible) })
        case .piece:
            let given = value.flatMap { if case .piece(let snapshot, let index) = $0 { (snapshot, index) } else { nil } }
            return .piece(snapshot: try fields.field(1, given?.0), index: try fields.field(2, given?.1))
        case .advance:
            let given = value.flatMap { if case .advance(let cursor, let key) = $0 { (key, cursor) } else { nil } }
            let key = try fields.field(1, given?.0)
            return .advance(past: try fields.field(2, given?.1), subscribeKey: key)
        case .file:
            let given = value.flatMap { if case .file(let file, let origin, let key) = $0 { (origin, key, file) } else { nil } }
            let origin = FileOrigin(
                issued: try fields.field(1, given?.0.issued), client: try fields.optional(2, given?.0.client))
            let (key, name) = (try fields.field(3, given?.1), try fields.field(4, given?.2.key.name))
            return .file(KeysetRecord(.init(.file, name), try fields.field(5, given?.2.value)), origin, subscribeKey: key)
        case .missed:
            let given = value.flatMap { if case .missed(let ranges, let key) = $0 { (key, ranges) } else { nil } }
            let key = try fields.field(1, given?.0)
            return .missed(try fields.list(2, given?.1), subscribeKey: key)
        case .stateWithoutMessages:
            let key = value.flatMap { if case .stateWithoutMessages(let key) = $0 { key } else { nil } }
            return .stateWithoutMessages(subscribeKey: try fields.field(1, key))
        }
    }

    private struct Cursor: CodedValue {
        var subscribeKey: String
        var visible: UInt64?

        static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
            Self(subscribeKey: try fields.field(1, value?.subscribeKey), visible: try fields.optional(2, value?.visible))
        }
    }
}

extension PubNubClusterRequest.PresenceTouch: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        var user = OccupancyUser(
            id: try fields.field(1, value?.user.id), connection: try fields.field(2, value?.user.connection))
        user.owner = try fields.optional(3, value?.user.owner)
        return Self(user: user, timeout: try fields.optional(4, value?.timeout), places: try fields.list(5, value?.places))
    }
}

extension PubNubClusterRequest.PresenceTouch.Place: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(channel: try fields.field(1, value?.channel), state: try fields.optional(2, value?.state))
    }
}

/// Encodes only the fields that a message of the server's own process can have.
extension PubNubDraft: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            channel: try fields.field(1, value?.channel), publisher: try fields.optional(2, value?.publisher),
            payload: try fields.field(3, value?.payload), metadata: try fields.optional(4, value?.metadata),
            kind: PubNubMessageKind(rawValue: try fields.field(5, value?.kind.rawValue)),
            customType: try fields.optional(6, value?.customType))
    }
}

extension ClusterPublishOutcome: CodedValue {
    private enum Kind: UInt8 {
        case published, unknownKeyset, notStored
    }

    private var parts: (kind: Kind, timetoken: UInt64) {
        switch self {
        case .published(let timetoken): (.published, timetoken)
        case .unknownKeyset: (.unknownKeyset, 0)
        case .notStored: (.notStored, 0)
        }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value?.parts.kind) {
        case .published: return .published(try fields.field(1, value?.parts.timetoken))
        case .unknownKeyset: return .unknownKeyset
        case .notStored: return .notStored
        }
    }
}
