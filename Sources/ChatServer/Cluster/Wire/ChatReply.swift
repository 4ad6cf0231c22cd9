import Identifiers
import NIOCore
import NexconnProtocol
import ServerCluster
import ServerRuntime
import ServerStorage

/// The leader's answer to a ``ChatRequest``.
enum ChatReply: Sendable {
    struct Admission: Hashable, Sendable {
        var user: Identifier
        var epoch: String
        var start: ChatInboxStart
    }

    /// The request succeeded without further data.
    case done
    case admitted(Admission)
    case refused(NexconnRefusal)
    /// The frame with the answer to a session's request, and whether a message was accepted by it.
    case frame(ByteBuffer, isSent: Bool)
    /// A part of an inbox, and the position of the next entry if there are more; nil when the inbox could not be read.
    case page([ChatInboxEntry], next: UInt64?)
    case unreadable
    case answer(HTTPAnswer)

    var encoded: ByteBuffer {
        var out = ByteBuffer()
        switch self {
        case .done: out.writeInteger(0 as UInt8)
        case .admitted(let admission):
            out.writeInteger(1 as UInt8)
            out.write(text: admission.user.text)
            out.write(text: admission.epoch)
            out.writeInteger(admission.start.after)
            out.writeInteger(admission.start.last)
            out.write(flag: admission.start.isResumed)
            out.write(flag: admission.start.hasLost)
        case .refused(let refusal):
            out.writeInteger(2 as UInt8)
            out.write(refusal)
        case .frame(let frame, let isSent):
            out.reserveCapacity(frame.readableBytes + 8)
            out.writeInteger(3 as UInt8)
            out.write(flag: isSent)
            out.write(buffer: frame)
        case .page(let page, let next):
            out.writeInteger(4 as UInt8)
            out.write(list: page) { buffer, entry in
                buffer.writeInteger(entry.sequence)
                buffer.write(bytes: entry.body)
            }
            out.write(optional: next) { $0.writeInteger($1) }
        case .unreadable: out.writeInteger(5 as UInt8)
        case .answer(let answer):
            out.writeInteger(6 as UInt8)
            out.write(answer: answer)
        }
        return out
    }

    init(_ bytes: ByteBuffer) throws(ClusterCodingError) {
        var bytes = bytes
        switch try bytes.number(UInt8.self) {
        case 0: self = .done
        case 1:
            let (user, epoch) = (try bytes.identifier(), try bytes.text())
            let start = ChatInboxStart(
                after: try bytes.number(), last: try bytes.number(), isResumed: try bytes.flag(), hasLost: try bytes.flag())
            self = .admitted(Admission(user: user, epoch: epoch, start: start))
        case 2: self = .refused(try bytes.refusal())
        case 3:
            let isSent = try bytes.flag()
            self = .frame(try bytes.buffer(), isSent: isSent)
        case 4:
            let page = try bytes.list { (buffer) throws(ClusterCodingError) in
                ChatInboxEntry(sequence: try buffer.number(), body: try buffer.bytes())
            }
            self = .page(page, next: try bytes.optional { (buffer) throws(ClusterCodingError) in try buffer.number() })
        case 5: self = .unreadable
        case 6: self = .answer(try bytes.answer())
        default: throw ClusterCodingError()
        }
        try bytes.end()
    }
}

extension ChatReply {
    /// The part of a page that fits into a package, which ends with the event that reaches its size limit.
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
