import ChatProtocol
import Identifiers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// The leader's answer to a ``ChatClusterRequest``.
enum ChatClusterReply: Sendable {
    struct Admission: Hashable, Sendable {
        var user: Identifier
        var epoch: String
        var start: ChatInboxStart
    }

    /// The request succeeded without further data.
    case done
    case admitted(Admission)
    case refused(ChatRequestRefusal)
    /// The frame with the answer to a session's request. `isSent`: whether a message was accepted.
    case frame(ByteBuffer, isSent: Bool)
    /// A page of an inbox. `next`: the position of the entry after the page; nil if there is none.
    case page([ChatInboxEntry], next: UInt64?)
    case unreadable
    case answer(HTTPAnswer)

    private enum Kind: UInt8 {
        case done, admitted, refused, frame, page, unreadable, answer
    }

    private var kind: Kind {
        switch self {
        case .done: .done
        case .admitted: .admitted
        case .refused: .refused
        case .frame: .frame
        case .page: .page
        case .unreadable: .unreadable
        case .answer: .answer
        }
    }
}

extension ChatClusterReply: CodedValue {
    static func code(_ value: ChatClusterReply?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatClusterReply {
        switch try fields.kind(value?.kind) {
        case .done: return .done
        case .admitted:
            let given = value.flatMap { if case .admitted(let admission) = $0 { admission } else { nil } }
            return .admitted(
                Admission(
                    user: try fields.field(1, given?.user), epoch: try fields.field(2, given?.epoch),
                    start: try fields.field(3, given?.start)))
        case .refused:
            return .refused(try fields.field(1, value.flatMap { if case .refused(let refusal) = $0 { refusal } else { nil } }))
        case .frame:
            let given = value.flatMap { if case .frame(let frame, let isSent) = $0 { (isSent, frame) } else { nil } }
            let isSent = try fields.field(1, given?.0)
            return .frame(try fields.field(2, given?.1), isSent: isSent)
        case .page:
            let given = value.flatMap { if case .page(let page, let next) = $0 { (page, next) } else { nil } }
            return .page(try fields.list(1, given?.0), next: try fields.optional(2, given?.1))
        case .unreadable: return .unreadable
        case .answer:
            return .answer(try fields.field(1, value.flatMap { if case .answer(let answer) = $0 { answer } else { nil } }))
        }
    }
}

extension ChatClusterReply {
    /// Makes a reply with the beginning of an inbox page, as long as one package may be: at most ``InboxReader/packageLength`` entries,
    /// ending with the entry that reaches ``InboxReader/packageBytes``.
    ///
    /// - Parameter page: the page; nil when the store could not read it.
    init(_ page: [ChatInboxEntry]?) {
        guard let page else {
            self = .unreadable
            return
        }
        var (count, bytes) = (0, 0)
        while count < min(page.count, InboxReader.packageLength), bytes < InboxReader.packageBytes {
            bytes += page[count].body.count
            count += 1
        }
        self = .page(Array(page.prefix(count)), next: count < page.count ? page[count].sequence : nil)
    }
}
